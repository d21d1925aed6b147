import { setImmediate as nextTurn } from 'node:timers/promises';
import { keccak256 } from '@/sandbox/keccak';
import { blockAt, networkAt, type SimulatedNetwork } from './networks';
import { isRandomHex, type Mixer, randomHex } from './random';

/** States in the words of the query parameter. */
export const STATES = ['Pending', 'Failed', 'Completed', 'CallbackErrored'] as const;
export type State = (typeof STATES)[number];

/** The state at any time follows from these members. Times are unix ms. */
export type LogRow = {
  /** One random source each for the past, the time since the start, scenarios and orders. */
  source: Mixer;
  /** Number within the source. */
  k: number;
  createdMs: number;
  /** Index in `NETWORKS`, and number of the provider on that network. */
  network: number;
  provider: number;
  sender: number;
  sequence: number;
  outcome: State;
  /** Infinite if the request is always pending. */
  finishMs: number;
  /** Time at which a failed request is revealed after all; infinite for others. */
  lateRevealMs: number;
  /** Number of the first row of the transaction: its own, except in a batch. */
  lead: number;
  /** Number of the request with the same random number: its own, except for a reorganisation twin. */
  contribution: number;
  /** If undefined, it is derived from the sender. */
  gasLimit: number | undefined;
};

export type RowState = { state: State; updatedMs: number };

export function rowState({ createdMs, finishMs, lateRevealMs, outcome }: LogRow, nowMs: number): RowState {
  if (nowMs < finishMs) return { state: 'Pending', updatedMs: createdMs };
  if (nowMs >= lateRevealMs) return { state: 'Completed', updatedMs: lateRevealMs };
  return { state: outcome, updatedMs: finishMs };
}

function isRevealed(state: State): boolean {
  return state === 'Completed' || state === 'CallbackErrored';
}

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

/** 64 hex digits with 0x, shared by the rows of one batch. */
export function requestHash({ source, lead }: LogRow): string {
  return `0x${randomHex(source, REQUEST_HASH, lead)}`;
}

/** Each keeper has its own providers. `world` is the mixer of addresses. */
export function providerAddress(world: Mixer, network: SimulatedNetwork, provider: number): string {
  return `0x${randomHex(world, PROVIDER, network.keeper === 'main' ? provider : 10 + provider, 5)}`;
}

export function senderAddress(world: Mixer, sender: number): string {
  return `0x${randomHex(world, SENDER, sender, 5)}`;
}

/** `hash` is lower-case hex without 0x. */
export function hasTransaction(hash: string): (row: LogRow, state: State) => boolean {
  const isHash = isRandomHex(hash);
  return ({ source, lead, k }, state) =>
    isHash(source, REQUEST_HASH, lead) || (isRevealed(state) && isHash(source, REVEAL_HASH, k));
}

/** `address` is lower-case hex without 0x. */
export function hasSender(world: Mixer, address: string): (row: LogRow) => boolean {
  const isAddress = isRandomHex(address);
  return ({ sender }) => isAddress(world, SENDER, sender);
}

/** ABI encoding, 32 bytes. */
function abiNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** Return data of a failed Solidity `require`: selector, offset, length, text. */
export function errorString(text: string): string {
  const hex = Buffer.from(text).toString('hex');
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
  return `0x08c379a0${abiNumber(32)}${abiNumber(hex.length / 2)}${padded}`;
}

/** Return data, such as for 0x11, an arithmetic overflow. */
function panic(code: number): string {
  return `0x4e487b71${abiNumber(code)}`;
}

/** Frequent ones appear several times. Bare `0x` mostly means out of gas. */
const CALLBACK_RETURNS: readonly string[] = [
  ...['0x', '0x', '0x', '0x', panic(0x11), panic(0x12), panic(0x32)],
  errorString('Game: round is over'),
  errorString('ERC20: transfer amount exceeds balance'),
  errorString('Pausable: paused'),
  errorString('NFT: sold out'),
  // InsufficientGas, Unauthorized, NoSuchRequest, InsufficientFee.
  ...['0x1c26714c', '0x82b42900', '0xc4237352', '0x025dbdd4'],
];

export const OUT_OF_GAS_SENDER = 1_100_000_001;

/** Some contain an error selector. */
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

/** `text`: network_id and gas_limit are text, as in the contract. `number`: as deployed servers write them. */
export type Dialect = 'text' | 'number';

/** The times are those that the service wrote: its clock may have been off. */
export type ShownRow = RowState & { row: LogRow; shownCreatedMs: number; shownUpdatedMs: number };

/** Rows of a turn: about a millisecond of work. */
const ROWS_PER_TURN = 50;

/**
 * Texts of rows, made in small batches, so that streams of the same process don't stutter. `world` is the mixer of
 * addresses.
 */
export async function rowTexts(world: Mixer, rows: readonly ShownRow[], dialect: Dialect): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) {
    if (texts.length > 0 && texts.length % ROWS_PER_TURN === 0) await nextTurn();
    texts.push(rowText(world, row, dialect));
  }
  return texts;
}

/** Members in the order of the contract. Concatenation takes a quarter less time than JSON.stringify. */
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
    `"user_random_number":"${userNumber(row)}"}`
  );
}

function stateText({ row, state, updatedMs }: ShownRow, network: SimulatedNetwork, gasLimit: number): string {
  const { k, source } = row;
  if (state === 'Pending') return '{"state":"pending"}';
  const provider = providerNumber(row);
  if (state === 'Failed') {
    const reason = failureReason(row);
    // A contribution; for a failure before the chain was queried, null or nothing.
    const absent = source.fraction(CONTRIBUTION, k) < 0.5 ? null : undefined;
    const provider_random_number = reason.startsWith('Reverted') ? provider : absent;
    return JSON.stringify({ state: 'failed', reason, provider_random_number });
  }
  const reveal = getReveal({ row, state, updatedMs }, network, gasLimit);
  const { block, hash, gasUsed, callbackGas, returned, isCallbackFailed } = reveal;
  return (
    `{"state":"completed","reveal_block_number":${block},` +
    `"reveal_tx_hash":"${hash}","provider_random_number":"${provider}",` +
    `"gas_used":"${gasUsed}","combined_random_number":"${combinedNumber(row)}",` +
    `"callback_failed":${isCallbackFailed},"callback_return_value":"${returned}",` +
    `"callback_gas_used":"${callbackGas}"}`
  );
}

/** The reveal in a completed row and on the chain. `returned` and `hash` are hex with 0x. */
export function getReveal(
  { row, state, updatedMs }: Pick<ShownRow, 'row' | 'state' | 'updatedMs'>,
  network: SimulatedNetwork,
  gasLimit: number,
) {
  const { k, source } = row;
  const isCallbackFailed = state === 'CallbackErrored';
  const hasReturn = isCallbackFailed && row.sender !== OUT_OF_GAS_SENDER;
  const returned = hasReturn ? pick(CALLBACK_RETURNS, source.fraction(CALLBACK_RETURN, k)) : '0x';
  const isOutOfGas = isCallbackFailed && returned === '0x';
  const share = isOutOfGas ? 0.985 : 0.15 + 0.6 * source.fraction(CALLBACK_GAS, k);
  const callbackGas = Math.floor(gasLimit * share);
  const gasUsed = callbackGas + 60_000 + source.below(50_000, REVEAL_GAS, k);
  const block = Math.max(requestBlock(network, row.createdMs) + 1, blockAt(network, updatedMs));
  const hash = `0x${randomHex(source, REVEAL_HASH, k)}`;
  return { block, hash, gasUsed, callbackGas, returned, isCallbackFailed };
}

export function failureReason({ source, k }: LogRow): string {
  return pick(FAILURE_REASONS, source.fraction(REASON, k));
}

/** 64 hex digits without 0x. */
export function userNumber({ source, contribution }: LogRow): string {
  return randomHex(source, USER_NUMBER, contribution);
}

/** 64 hex digits without 0x. Secret until it is revealed. */
export function providerNumber({ source, k }: LogRow): string {
  return randomHex(source, PROVIDER_NUMBER, k);
}

/** 0 stands for the keeper's default. */
const GAS_LIMITS = [0, 0, 0, 100_000, 150_000, 200_000, 250_000, 300_000, 800_000, 1_000_000];

export function getGasLimit(world: Mixer, row: LogRow, network: SimulatedNetwork): number {
  if (row.gasLimit !== undefined) return row.gasLimit;
  // Far above the limits of other contracts.
  if (row.source.fraction(UNUSUAL_GAS, row.k) < 0.0015) return 10_000_000;
  return pick(GAS_LIMITS, world.fraction(GAS, row.sender)) || network.gasLimit;
}

/** Input of the hash: three random numbers; the last one stays zero. */
const preimage = new Uint32Array(24);
const preimageBytes = new Uint8Array(preimage.buffer);

/** keccak256(user ‖ provider ‖ 32 zero bytes). */
export function combinedNumber({ source, contribution, k }: LogRow): string {
  source.words(USER_NUMBER, contribution, preimage, 0, 8);
  source.words(PROVIDER_NUMBER, k, preimage, 8, 8);
  return Buffer.from(keccak256(preimageBytes)).toString('hex');
}

/** Block at which the keeper notices a request, some blocks after its own. */
export function requestBlock(network: SimulatedNetwork, createdMs: number): number {
  return Math.max(1, blockAt(network, createdMs) - network.delayBlocks);
}

function pick<T>(values: readonly T[], fraction: number): T {
  return values[Math.floor(fraction * values.length)] as T;
}
