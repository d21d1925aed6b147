import { setImmediate as nextTurn } from 'node:timers/promises';
import { keccakP } from '@noble/hashes/sha3.js';
import { CALLBACK_RETURNS, FAILURE_REASONS, hasNoContribution } from './failures';
import { addressOf, KIND, wordsHex } from './identity';
import type { Mixer } from './mix';
import { blockAt, NETWORKS, type SimulatedNetwork } from './networks';
import { STATE } from './row-table';
import { shownMs, type WireRow } from './wire-row';

/** `text`: network_id and gas_limit as text, as the contract has them; `number`: as a deployed server. */
export type Dialect = 'text' | 'number';

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
export async function rowTexts(world: Mixer, rows: readonly WireRow[], dialect: Dialect): Promise<string[]> {
  const texts: string[] = [];
  for (const row of rows) {
    if (texts.length > 0 && texts.length % ROWS_PER_TURN === 0) await nextTurn();
    texts.push(rowText(world, row, dialect));
  }
  return texts;
}

/** A row as JSON, members in the order of the contract. `world`: the mixer that addresses are drawn from. */
export function rowText(world: Mixer, row: WireRow, dialect: Dialect): string {
  const network = NETWORKS[row.network];
  if (!network) throw new Error(`there is no network ${row.network}`);
  const gasLimit = gasLimitOf(world, row, network);
  const integer = (digits: string) => (dialect === 'text' ? `"${digits}"` : digits);
  const { createdMs, updatedMs, clockOff } = row;
  const user = randomHex(row.mixer, USER_NUMBER, row.contribution);
  return (
    `{"chain_id":"${network.chainName}","network_id":${integer(network.networkId)},` +
    `"created_at":"${isoOf(shownMs(row))}",` +
    `"last_updated_at":"${isoOf(updatedMs + (clockOff?.updatedMs ?? 0))}",` +
    `"gas_limit":${integer(String(gasLimit))},` +
    `"provider":"0x${providerAddress(world, network, row.provider)}",` +
    `"sender":"0x${addressOf(world, KIND.sender, row.sender)}",` +
    `"request_block_number":${requestBlock(network, createdMs)},` +
    `"request_tx_hash":"0x${row.requestHash()}","sequence":${row.sequence},` +
    `"state":${stateJson(row, network, gasLimit, user)},` +
    `"user_random_number":"${user}"}`
  );
}

function stateJson(row: WireRow, network: SimulatedNetwork, gasLimit: number, user: string): string {
  switch (row.state) {
    case STATE.pending:
      return '{"state":"pending"}';
    case STATE.failed:
      return failedJson(row);
    case STATE.completed:
    case STATE.callbackFailed:
      return completedJson(row, network, gasLimit, user);
  }
}

function completedJson(row: WireRow, network: SimulatedNetwork, gasLimit: number, user: string): string {
  const { mixer, k } = row;
  const isCallbackFailed = row.state === STATE.callbackFailed;
  const returned = isCallbackFailed ? pick(CALLBACK_RETURNS, mixer.fraction(CALLBACK_RETURN, k)) : '0x';
  const isOutOfGas = isCallbackFailed && returned === '0x';
  const share = isOutOfGas ? 0.985 : 0.15 + 0.6 * mixer.fraction(CALLBACK_GAS, k);
  const callbackGas = Math.floor(gasLimit * share);
  const gasUsed = callbackGas + 60_000 + mixer.below(50_000, REVEAL_GAS, k);
  const block = Math.max(requestBlock(network, row.createdMs) + 1, blockAt(network, row.updatedMs));
  const provider = providerNumber(row);
  return (
    `{"state":"completed","reveal_block_number":${block},` +
    `"reveal_tx_hash":"0x${row.revealHash()}","provider_random_number":"${provider}",` +
    `"gas_used":"${gasUsed}","combined_random_number":"${combineRandomNumbers(user, provider)}",` +
    `"callback_failed":${isCallbackFailed},"callback_return_value":"${returned}",` +
    `"callback_gas_used":"${callbackGas}"}`
  );
}

/** The contribution of the provider is there, null or absent: all three occur. */
function failedJson(row: WireRow): string {
  const { mixer, k } = row;
  const reason = pick(FAILURE_REASONS, mixer.fraction(REASON, k));
  const start = `{"state":"failed","reason":${JSON.stringify(reason)}`;
  if (!hasNoContribution(reason)) return `${start},"provider_random_number":"${providerNumber(row)}"}`;
  return mixer.fraction(CONTRIBUTION, k) < 0.5 ? `${start},"provider_random_number":null}` : `${start}}`;
}

function gasLimitOf(world: Mixer, row: WireRow, network: SimulatedNetwork): number {
  if (row.gasLimit !== undefined) return row.gasLimit;
  // A few ask for far more than others do.
  if (row.mixer.fraction(UNUSUAL_GAS, row.k) < 0.0015) return 10_000_000;
  return pick(GAS_LIMITS, world.fraction(GAS, row.sender)) || network.gasLimit;
}

function providerNumber({ mixer, k }: WireRow): string {
  return randomHex(mixer, PROVIDER_NUMBER, k);
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

/** The address of a provider, 40 hex digits: each keeper has providers of its own. */
export function providerAddress(mixer: Mixer, network: SimulatedNetwork, provider: number): string {
  return addressOf(mixer, KIND.provider, network.keeper === 'main' ? provider : 10 + provider);
}

/** The keeper takes a request up some blocks after its own one. */
export function requestBlock(network: SimulatedNetwork, createdMs: number): number {
  return Math.max(1, blockAt(network, createdMs) - network.delayBlocks);
}

function randomHex(mixer: Mixer, purpose: number, k: number): string {
  return wordsHex(8, (index) => mixer.word(purpose, k, index + 1));
}

function pick<T>(values: readonly T[], fraction: number): T {
  const value = values[Math.floor(fraction * values.length)];
  if (value === undefined) throw new RangeError('a fraction is below 1');
  return value;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
