import { setImmediate as nextTurn } from 'node:timers/promises';
import { keccak256 } from '@/sandbox/keccak';
import { blockAt, networkAt, type SimulatedNetwork } from './networks';
import { isRandomHex, type Mixer, randomHex } from './random';

/** States as the query parameter names them. */
export const STATES = ['Pending', 'Failed', 'Completed', 'CallbackErrored'] as const;
export type State = (typeof STATES)[number];

/** One request for good: what it is at a time follows from it. Times in unix milliseconds. */
export type LogRow = {
  /** What its figures and hashes are drawn from: one for the past, the time since the start, a scenario, orders. */
  source: Mixer;
  /** Its number within the source. */
  k: number;
  createdMs: number;
  /** Number of the network, see `NETWORKS`, and number of the provider on it. */
  network: number;
  provider: number;
  sender: number;
  sequence: number;
  /** What it becomes at `finishMs`. */
  outcome: State;
  /** When it leaves `pending`; infinite when it never does. */
  finishMs: number;
  /** When a failed request is revealed after all; infinite for all others. */
  secondMs: number;
  /** The number of the first row of its transaction: its own, but for a batch. */
  lead: number;
  /** The number of the request whose random number it gave as well: its own, but for a reorganisation twin. */
  contribution: number;
  /** Undefined: as its sender asks for. */
  gasLimit: number | undefined;
};

/** A row as it is at a moment. */
export type RowState = { state: State; updatedMs: number };

export function rowState({ createdMs, finishMs, secondMs, outcome }: LogRow, nowMs: number): RowState {
  if (nowMs < finishMs) return { state: 'Pending', updatedMs: createdMs };
  if (nowMs >= secondMs) return { state: 'Completed', updatedMs: secondMs };
  return { state: outcome, updatedMs: finishMs };
}

function isRevealed(state: State): boolean {
  return state === 'Completed' || state === 'CallbackErrored';
}

/** What is drawn from a mixer for hashes, addresses and the figures of a row. */
const REQUEST_HASH = 101;
const REVEAL_HASH = 102;
const SENDER = 103;
const PROVIDER = 104;
const GAS = 40;
const UNUSUAL_GAS = 41;
const USER_NUMBER = 42;
const PROVIDER_NUMBER = 43;
const CALLBACK_RETURN = 44;
const CALLBACK_GAS = 45;
const REVEAL_GAS = 46;
const REASON = 47;
const CONTRIBUTION = 48;

/** 64 hex digits with 0x, which the rows of one batch share. */
export function requestHash({ source, lead }: LogRow): string {
  return `0x${randomHex(source, REQUEST_HASH, lead)}`;
}

/** The address of a provider: each keeper has providers of its own. `world`: the mixer of addresses. */
export function providerAddress(world: Mixer, network: SimulatedNetwork, provider: number): string {
  return `0x${randomHex(world, PROVIDER, network.keeper === 'main' ? provider : 10 + provider, 5)}`;
}

export function senderAddress(world: Mixer, sender: number): string {
  return `0x${randomHex(world, SENDER, sender, 5)}`;
}

/** Tells whether a row has a transaction with this hash (lower-case hex without 0x). */
export function hasTransaction(hash: string): (row: LogRow, state: State) => boolean {
  const is = isRandomHex(hash);
  return ({ source, lead, k }, state) =>
    is(source, REQUEST_HASH, lead) || (isRevealed(state) && is(source, REVEAL_HASH, k));
}

/** Tells whether a row has the sender with this address (lower-case hex without 0x). */
export function hasSender(world: Mixer, address: string): (row: LogRow) => boolean {
  const is = isRandomHex(address);
  return ({ sender }) => is(world, SENDER, sender);
}

/** 32 bytes of ABI encoding for a number. */
function abiNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The return data of a failed Solidity `require` with a text: selector, offset, length, text. */
function errorString(text: string): string {
  const hex = Buffer.from(text).toString('hex');
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
  return `0x08c379a0${abiNumber(32)}${abiNumber(hex.length / 2)}${padded}`;
}

/** The return data of a Solidity panic, such as 0x11 for an arithmetic overflow. */
function panic(code: number): string {
  return `0x4e487b71${abiNumber(code)}`;
}

/** What a failed callback returns; the frequent ones stand several times. Bare `0x` is mostly out of gas. */
const CALLBACK_RETURNS: readonly string[] = [
  ...['0x', '0x', '0x', '0x', panic(0x11), panic(0x12), panic(0x32)],
  errorString('Game: round is over'),
  errorString('ERC20: transfer amount exceeds balance'),
  errorString('Pausable: paused'),
  errorString('NFT: sold out'),
  // InsufficientGas, Unauthorized, NoSuchRequest, InsufficientFee.
  ...['0x1c26714c', '0x82b42900', '0xc4237352', '0x025dbdd4'],
];

/** Every failed callback of this contract runs out of gas. */
export const OUT_OF_GAS_SENDER = 1_100_000_001;

/** Why a request failed at all, as free text; some hold an error selector. */
const FAILURE_REASONS: readonly string[] = [
  ...['0x1c26714c', '0x5e5b3f1b', '0x50f0dc92', '0xc4237352', '0xb8be1a8d', '0xb28d9c76', '0x92555c0e'],
  ...['0xd82dd966', errorString('Entropy: callback gas exceeded'), panic(0x11)],
]
  .map((data) => `Reverted: ${data}`)
  .concat([
    'Error submitting the reveal: insufficient funds for gas * price + value',
    'Error submitting the reveal: replacement transaction underpriced',
    'Gas estimate for the reveal is above the limit: 3104455 > 2500000',
    'Error waiting for transaction confirmation: transaction dropped from the mempool',
    'Error making RPC call: (code: -32000, message: header not found, data: None)',
  ]);

/** `text`: network_id and gas_limit as text, as the contract has them; `number`: as a deployed server. */
export type Dialect = 'text' | 'number';

/** A row as a service has it at a moment, with the times that it wrote down: its clock may have been off. */
export type ShownRow = RowState & { row: LogRow; shownCreatedMs: number; shownUpdatedMs: number };

/** Rows written in one go: about a millisecond of work. */
const ROWS_PER_TURN = 50;

/** Writes rows, a few at a time: streams of the same process must not stutter. `world`: the mixer of addresses. */
export async function rowTexts(world: Mixer, rows: readonly ShownRow[], dialect: Dialect): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) {
    if (texts.length > 0 && texts.length % ROWS_PER_TURN === 0) await nextTurn();
    texts.push(rowText(world, row, dialect));
  }
  return texts;
}

/** A row as JSON, members in the order of the contract; put together by hand, which takes a quarter less time. */
export function rowText(world: Mixer, shown: ShownRow, dialect: Dialect): string {
  const { row, shownCreatedMs, shownUpdatedMs } = shown;
  const network = networkAt(row.network);
  const gasLimit = getGasLimit(world, row, network);
  const quote = dialect === 'text' ? '"' : '';
  return (
    `{"chain_id":"${network.chainName}","network_id":${quote}${network.networkId}${quote},` +
    `"created_at":"${new Date(shownCreatedMs).toISOString()}",` +
    `"last_updated_at":"${new Date(shownUpdatedMs).toISOString()}","gas_limit":${quote}${gasLimit}${quote},` +
    `"provider":"${providerAddress(world, network, row.provider)}",` +
    `"sender":"${senderAddress(world, row.sender)}",` +
    `"request_block_number":${requestBlock(network, row.createdMs)},` +
    `"request_tx_hash":"${requestHash(row)}","sequence":${row.sequence},` +
    `"state":${stateText(shown, network, gasLimit)},` +
    `"user_random_number":"${randomHex(row.source, USER_NUMBER, row.contribution)}"}`
  );
}

function stateText({ row, state, updatedMs }: ShownRow, network: SimulatedNetwork, gasLimit: number): string {
  const { k, source } = row;
  if (state === 'Pending') return '{"state":"pending"}';
  const provider = randomHex(source, PROVIDER_NUMBER, k);
  if (state === 'Failed') {
    const reason = pick(FAILURE_REASONS, source.fraction(REASON, k));
    // The contribution is there, or, where it failed before the chain was asked, null or absent.
    const absent = source.fraction(CONTRIBUTION, k) < 0.5 ? null : undefined;
    const provider_random_number = reason.startsWith('Reverted') ? provider : absent;
    return JSON.stringify({ state: 'failed', reason, provider_random_number });
  }
  const isCallbackFailed = state === 'CallbackErrored';
  const hasReturn = isCallbackFailed && row.sender !== OUT_OF_GAS_SENDER;
  const returned = hasReturn ? pick(CALLBACK_RETURNS, source.fraction(CALLBACK_RETURN, k)) : '0x';
  const isOutOfGas = isCallbackFailed && returned === '0x';
  const share = isOutOfGas ? 0.985 : 0.15 + 0.6 * source.fraction(CALLBACK_GAS, k);
  const callbackGas = Math.floor(gasLimit * share);
  const gasUsed = callbackGas + 60_000 + source.below(50_000, REVEAL_GAS, k);
  const block = Math.max(requestBlock(network, row.createdMs) + 1, blockAt(network, updatedMs));
  return (
    `{"state":"completed","reveal_block_number":${block},` +
    `"reveal_tx_hash":"0x${randomHex(source, REVEAL_HASH, k)}","provider_random_number":"${provider}",` +
    `"gas_used":"${gasUsed}","combined_random_number":"${combinedNumber(row)}",` +
    `"callback_failed":${isCallbackFailed},"callback_return_value":"${returned}",` +
    `"callback_gas_used":"${callbackGas}"}`
  );
}

/** Gas limits of contracts; the keeper's own default is used where a contract names none. */
const GAS_LIMITS = [0, 0, 0, 100_000, 150_000, 200_000, 250_000, 300_000, 800_000, 1_000_000];

function getGasLimit(world: Mixer, row: LogRow, network: SimulatedNetwork): number {
  if (row.gasLimit !== undefined) return row.gasLimit;
  // A few ask for far more than others do.
  if (row.source.fraction(UNUSUAL_GAS, row.k) < 0.0015) return 10_000_000;
  return pick(GAS_LIMITS, world.fraction(GAS, row.sender)) || network.gasLimit;
}

/** Of three random numbers, the last of which stays zero. */
const preimage = new Uint32Array(24);
const preimageBytes = new Uint8Array(preimage.buffer);

/** keccak256(user ‖ provider ‖ 32 zero bytes). */
function combinedNumber({ source, contribution, k }: LogRow): string {
  source.words(USER_NUMBER, contribution, preimage, 0, 8);
  source.words(PROVIDER_NUMBER, k, preimage, 8, 8);
  return Buffer.from(keccak256(preimageBytes)).toString('hex');
}

/** The keeper takes a request up some blocks after its own one. */
function requestBlock(network: SimulatedNetwork, createdMs: number): number {
  return Math.max(1, blockAt(network, createdMs) - network.delayBlocks);
}

function pick<T>(values: readonly T[], fraction: number): T {
  return values[Math.floor(fraction * values.length)] as T;
}
