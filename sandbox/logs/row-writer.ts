import { setImmediate as nextTurn } from 'node:timers/promises';
import { Recent } from '@/sandbox/recent';
import { OUTCOME } from './facts';
import { CALLBACK_RETURNS, FAILURE_REASONS, hasNoContribution } from './failures';
import { addressOf, KIND, wordHex } from './identity';
import type { LogWorld } from './log-world';
import type { Mixer } from './mix';
import type { RowIdentity } from './named-rows';
import { blockAt, LANES, NETWORKS, type SimulatedNetwork } from './networks';
import { combineRandomNumbers } from './random-number';
import { STATE, type State } from './row-table';

/** `text`: network_id and gas_limit as text, as the contract has them; `number`: as a deployed server. */
export type Dialect = 'text' | 'number';

/** Rows written in one go: about a millisecond of work. */
const ROWS_PER_TURN = 25;

/** Texts of rows that are kept, since the same pages are asked for again and again. */
const KEPT_TEXTS = 4000;

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

/** Writes rows as JSON by hand, members in the order of the contract. */
export class RowWriter {
  private readonly texts = new Recent<string, string>(KEPT_TEXTS);

  constructor(private readonly world: LogWorld) {}

  write(row: number, dialect: Dialect): string {
    const key = `${this.world.generation}/${row}/${this.world.table.state(row)}/${dialect}`;
    return this.texts.get(key, () => this.compose(row, dialect));
  }

  /**
   * Writes rows ahead, a few at a time, so that `write` finds them. The sandbox may share its process with
   * the dashboard, whose streams must not stutter because somebody asks for 1000 rows.
   */
  async prepare(rows: readonly number[], dialect: Dialect): Promise<void> {
    const { generation } = this.world;
    for (let start = 0; start < rows.length; start += ROWS_PER_TURN) {
      if (start > 0) await nextTurn();
      // Row numbers mean something else after the clock was set back.
      if (this.world.generation !== generation) return;
      for (const row of rows.slice(start, start + ROWS_PER_TURN)) this.write(row, dialect);
    }
  }

  private compose(row: number, dialect: Dialect): string {
    const { table, mixer } = this.world;
    const lane = LANES[table.lane(row)];
    const network = NETWORKS[lane?.network ?? 0];
    if (!lane || !network) throw new Error(`row ${row} has no network`);
    const identity = this.world.identityOf(row);
    const gasLimit = this.gasLimit(row, identity, network);
    const integer = (digits: string) => (dialect === 'text' ? `"${digits}"` : digits);
    const createdMs = table.createdAt(row);
    return (
      `{"chain_id":"${network.chainName}","network_id":${integer(network.networkId)},` +
      `"created_at":"${isoOf(createdMs)}","last_updated_at":"${isoOf(this.updatedMs(row))}",` +
      `"gas_limit":${integer(String(gasLimit))},` +
      `"provider":"0x${providerAddress(mixer, network, lane.provider)}",` +
      `"sender":"0x${addressOf(mixer, KIND.sender, table.sender(row))}",` +
      `"request_block_number":${requestBlock(network, createdMs)},` +
      `"request_tx_hash":"0x${this.world.requestHash(identity)}","sequence":${table.sequence(row)},` +
      `"state":${this.stateJson(row, identity, network, gasLimit)},` +
      `"user_random_number":"${this.userNumber(row, identity)}"}`
    );
  }

  private updatedMs(row: number): number {
    const { table } = this.world;
    if (table.state(row) === STATE.pending) return table.createdAt(row);
    const isSecond =
      table.outcome(row) === OUTCOME.failedThenCompleted && table.state(row) === STATE.completed;
    return isSecond ? this.world.secondFinishMs(row) : table.finishAt(row);
  }

  private stateJson(row: number, identity: RowIdentity, network: SimulatedNetwork, gasLimit: number): string {
    const state: State = this.world.table.state(row);
    switch (state) {
      case STATE.pending:
        return '{"state":"pending"}';
      case STATE.failed:
        return this.failedJson(identity);
      case STATE.completed:
      case STATE.callbackFailed:
        return this.completedJson(row, identity, network, gasLimit, state === STATE.callbackFailed);
    }
  }

  private completedJson(
    row: number,
    identity: RowIdentity,
    network: SimulatedNetwork,
    gasLimit: number,
    isCallbackFailed: boolean,
  ): string {
    const mixer = this.world.mixerOf(identity);
    const { k } = identity;
    const returned = isCallbackFailed ? pick(CALLBACK_RETURNS, mixer.fraction(CALLBACK_RETURN, k)) : '0x';
    const isOutOfGas = isCallbackFailed && returned === '0x';
    const share = isOutOfGas ? 0.985 : 0.15 + 0.6 * mixer.fraction(CALLBACK_GAS, k);
    const callbackGas = Math.floor(gasLimit * share);
    const gasUsed = callbackGas + 60_000 + mixer.below(50_000, REVEAL_GAS, k);
    const block = Math.max(
      requestBlock(network, this.world.table.createdAt(row)) + 1,
      blockAt(network, this.updatedMs(row)),
    );
    const provider = this.providerNumber(identity);
    const combined = combineRandomNumbers(this.userNumber(row, identity), provider);
    return (
      `{"state":"completed","reveal_block_number":${block},` +
      `"reveal_tx_hash":"0x${this.world.revealHash(identity)}","provider_random_number":"${provider}",` +
      `"gas_used":"${gasUsed}","combined_random_number":"${combined}",` +
      `"callback_failed":${isCallbackFailed},"callback_return_value":"${returned}",` +
      `"callback_gas_used":"${callbackGas}"}`
    );
  }

  /** The contribution of the provider is there, null or absent: all three occur. */
  private failedJson(identity: RowIdentity): string {
    const mixer = this.world.mixerOf(identity);
    const reason = pick(FAILURE_REASONS, mixer.fraction(REASON, identity.k));
    const start = `{"state":"failed","reason":${JSON.stringify(reason)}`;
    if (!hasNoContribution(reason)) {
      return `${start},"provider_random_number":"${this.providerNumber(identity)}"}`;
    }
    return mixer.fraction(CONTRIBUTION, identity.k) < 0.5
      ? `${start},"provider_random_number":null}`
      : `${start}}`;
  }

  private gasLimit(row: number, identity: RowIdentity, network: SimulatedNetwork): number {
    const set = this.world.gasLimitOf(row);
    if (set !== undefined) return set;
    const own = this.world.mixerOf(identity);
    // A few ask for far more than others do.
    if (own.fraction(UNUSUAL_GAS, identity.k) < 0.0015) return 10_000_000;
    const { mixer, table } = this.world;
    return pick(GAS_LIMITS, mixer.fraction(GAS, table.sender(row))) || network.gasLimit;
  }

  private userNumber(row: number, identity: RowIdentity): string {
    return randomHex(this.world.mixerOf(identity), USER_NUMBER, this.world.contributionOf(row));
  }

  private providerNumber(identity: RowIdentity): string {
    return randomHex(this.world.mixerOf(identity), PROVIDER_NUMBER, identity.k);
  }
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
  let text = '';
  for (let index = 0; index < 8; index++) text += wordHex(mixer.word(purpose, k, index + 1));
  return text;
}

function pick<T>(values: readonly T[], fraction: number): T {
  const value = values[Math.floor(fraction * values.length)];
  if (value === undefined) throw new RangeError('a fraction is below 1');
  return value;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
