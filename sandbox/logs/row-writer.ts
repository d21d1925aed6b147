import { setImmediate as nextTurn } from 'node:timers/promises';
import { keccakP } from '@noble/hashes/sha3.js';
import {
  isoTime,
  type LogRow,
  networkAt,
  providerAddress,
  type RowState,
  requestHash,
  revealHash,
  STATE,
  senderAddress,
} from './log-row';
import { blockAt, type SimulatedNetwork } from './networks';
import { type Mixer, randomHex } from './random';

/** 32 bytes of ABI encoding for a number. */
function abiNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The return data of a failed Solidity `require` with a text: selector, offset, length, text. */
function errorString(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const padded = Math.ceil(bytes.length / 32) * 64;
  return `0x08c379a0${abiNumber(32)}${abiNumber(bytes.length)}${bytes.toString('hex').padEnd(padded, '0')}`;
}

/** The return data of a Solidity panic, such as 0x11 for an arithmetic overflow. */
function panic(code: number): string {
  return `0x4e487b71${abiNumber(code)}`;
}

/** What a failed callback returns; the frequent ones stand several times. Bare `0x` is mostly out of gas. */
const CALLBACK_RETURNS: readonly string[] = [
  '0x',
  '0x',
  '0x',
  '0x',
  errorString('Game: round is over'),
  errorString('ERC20: transfer amount exceeds balance'),
  errorString('Pausable: paused'),
  errorString('NFT: sold out'),
  panic(0x11),
  panic(0x12),
  panic(0x32),
  // InsufficientGas, Unauthorized, NoSuchRequest, InsufficientFee.
  '0x1c26714c',
  '0x82b42900',
  '0xc4237352',
  '0x025dbdd4',
];

/** Why a request failed at all, as free text; some hold an error selector. */
const FAILURE_REASONS: readonly string[] = [
  'Reverted: 0x1c26714c',
  'Reverted: 0x5e5b3f1b',
  'Reverted: 0x50f0dc92',
  'Reverted: 0xc4237352',
  'Reverted: 0xb8be1a8d',
  'Reverted: 0xb28d9c76',
  'Reverted: 0x92555c0e',
  'Reverted: 0xd82dd966',
  `Reverted: ${errorString('Entropy: callback gas exceeded')}`,
  `Reverted: ${panic(0x11)}`,
  'Error submitting the reveal: insufficient funds for gas * price + value',
  'Error submitting the reveal: replacement transaction underpriced',
  'Gas estimate for the reveal is above the limit: 3104455 > 2500000',
  'Error waiting for transaction confirmation: transaction dropped from the mempool',
  'Error making RPC call: (code: -32000, message: header not found, data: None)',
];

/** Failures found before the chain is asked: these records have no contribution of the provider. */
function hasNoContribution(reason: string): boolean {
  return !reason.startsWith('Reverted');
}

/** `text`: network_id and gas_limit as text, as the contract has them; `number`: as a deployed server. */
export type Dialect = 'text' | 'number';

/** A row as a service has it at a moment: times are the true ones, the offsets what its clock was off then. */
export type ShownRow = RowState & { row: LogRow; createdOffMs: number; updatedOffMs: number };

/** The time of creation as the service wrote it down. */
export function shownMs({ row, createdOffMs }: ShownRow): number {
  return row.createdMs + createdOffMs;
}

/** Rows written in one go: about a millisecond of work. */
const ROWS_PER_TURN = 25;

const GAS = 40;
const UNUSUAL_GAS = 41;
const USER_NUMBER = 42;
const PROVIDER_NUMBER = 43;
const CALLBACK_RETURN = 44;
const CALLBACK_GAS = 45;
const REVEAL_GAS = 46;
const REASON = 47;
const CONTRIBUTION = 48;

/** Gas limits of contracts; the keeper's own default is used where a contract names none. */
const GAS_LIMITS = [0, 0, 0, 100_000, 150_000, 200_000, 250_000, 300_000, 800_000, 1_000_000];

/**
 * Writes rows, a few at a time: the sandbox may share its process with the dashboard, whose streams must not
 * stutter because somebody asks for 1000 rows. `world`: the mixer that addresses are drawn from.
 */
export async function rowTexts(world: Mixer, rows: readonly ShownRow[], dialect: Dialect): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) {
    if (texts.length > 0 && texts.length % ROWS_PER_TURN === 0) await nextTurn();
    texts.push(rowText(world, row, dialect));
  }
  return texts;
}

/** A row as JSON, members in the order of the contract. `world`: the mixer that addresses are drawn from. */
export function rowText(world: Mixer, shown: ShownRow, dialect: Dialect): string {
  const { row } = shown;
  const network = networkAt(row.network);
  const gasLimit = getGasLimit(world, row, network);
  const quote = dialect === 'text' ? '"' : '';
  const user = randomHex(row.source.mixer, USER_NUMBER, row.contribution);
  return (
    `{"chain_id":"${network.chainName}","network_id":${quote}${network.networkId}${quote},` +
    `"created_at":"${isoTime(shownMs(shown))}",` +
    `"last_updated_at":"${isoTime(shown.updatedMs + shown.updatedOffMs)}",` +
    `"gas_limit":${quote}${gasLimit}${quote},` +
    `"provider":"${providerAddress(world, network, row.provider)}",` +
    `"sender":"${senderAddress(world, row.sender)}",` +
    `"request_block_number":${requestBlock(network, row.createdMs)},` +
    `"request_tx_hash":"0x${requestHash(row)}","sequence":${row.sequence},` +
    `"state":${stateJson(shown, network, gasLimit, user)},` +
    `"user_random_number":"${user}"}`
  );
}

function stateJson(shown: ShownRow, network: SimulatedNetwork, gasLimit: number, user: string): string {
  if (shown.state === STATE.pending) return '{"state":"pending"}';
  return shown.state === STATE.failed ? failedJson(shown.row) : completedJson(shown, network, gasLimit, user);
}

function completedJson(shown: ShownRow, network: SimulatedNetwork, gasLimit: number, user: string): string {
  const { row } = shown;
  const { k } = row;
  const { mixer } = row.source;
  const isCallbackFailed = shown.state === STATE.callbackFailed;
  const returned = isCallbackFailed ? pick(CALLBACK_RETURNS, mixer.fraction(CALLBACK_RETURN, k)) : '0x';
  const isOutOfGas = isCallbackFailed && returned === '0x';
  const share = isOutOfGas ? 0.985 : 0.15 + 0.6 * mixer.fraction(CALLBACK_GAS, k);
  const callbackGas = Math.floor(gasLimit * share);
  const gasUsed = callbackGas + 60_000 + mixer.below(50_000, REVEAL_GAS, k);
  const block = Math.max(requestBlock(network, row.createdMs) + 1, blockAt(network, shown.updatedMs));
  const provider = providerNumber(row);
  return (
    `{"state":"completed","reveal_block_number":${block},` +
    `"reveal_tx_hash":"0x${revealHash(row)}","provider_random_number":"${provider}",` +
    `"gas_used":"${gasUsed}","combined_random_number":"${combineRandomNumbers(user, provider)}",` +
    `"callback_failed":${isCallbackFailed},"callback_return_value":"${returned}",` +
    `"callback_gas_used":"${callbackGas}"}`
  );
}

/** The contribution of the provider is there, null or absent: all three occur. */
function failedJson(row: LogRow): string {
  const { k } = row;
  const { mixer } = row.source;
  const reason = pick(FAILURE_REASONS, mixer.fraction(REASON, k));
  const start = `{"state":"failed","reason":${JSON.stringify(reason)}`;
  if (!hasNoContribution(reason)) return `${start},"provider_random_number":"${providerNumber(row)}"}`;
  return mixer.fraction(CONTRIBUTION, k) < 0.5 ? `${start},"provider_random_number":null}` : `${start}}`;
}

function getGasLimit(world: Mixer, row: LogRow, network: SimulatedNetwork): number {
  if (row.gasLimit !== undefined) return row.gasLimit;
  // A few ask for far more than others do.
  if (row.source.mixer.fraction(UNUSUAL_GAS, row.k) < 0.0015) return 10_000_000;
  return pick(GAS_LIMITS, world.fraction(GAS, row.sender)) || network.gasLimit;
}

function providerNumber({ source, k }: LogRow): string {
  return randomHex(source.mixer, PROVIDER_NUMBER, k);
}

/** The 200 bytes that keccak works on, as numbers and as bytes. */
const sponge = new Uint32Array(50);
const bytes = Buffer.from(sponge.buffer);
/** Of a block of keccak256, which the padding fills. */
const BLOCK_BYTES = 136;
const PREIMAGE_BYTES = 96;

/**
 * The number that a request gets: keccak256(user ‖ provider ‖ 32 zero bytes), each 64 hex digits without 0x. Its one block
 * is laid out here: of fifty thousand rows that is most of the work.
 */
function combineRandomNumbers(user: string, provider: string): string {
  sponge.fill(0);
  bytes.write(user, 0, 32, 'hex');
  bytes.write(provider, 32, 32, 'hex');
  bytes[PREIMAGE_BYTES] = 0x01;
  bytes[BLOCK_BYTES - 1] = 0x80;
  keccakP(sponge);
  return bytes.toString('hex', 0, 32);
}

/** The keeper takes a request up some blocks after its own one. */
export function requestBlock(network: SimulatedNetwork, createdMs: number): number {
  return Math.max(1, blockAt(network, createdMs) - network.delayBlocks);
}

function pick<T>(values: readonly T[], fraction: number): T {
  const value = values[Math.floor(fraction * values.length)];
  if (value === undefined) throw new RangeError('a fraction is below 1');
  return value;
}
