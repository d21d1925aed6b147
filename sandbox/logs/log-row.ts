import { NETWORKS, type SimulatedNetwork } from './networks';
import { getAddress, getHash, KIND, type Kind, type Mixer } from './random';

/** States as the query parameter tells them apart. */
export const STATE = { pending: 0, completed: 1, callbackFailed: 2, failed: 3 } as const;
export type State = (typeof STATE)[keyof typeof STATE];

/** How a request ends. */
export const OUTCOME = {
  completed: 0,
  callbackFailed: 1,
  failed: 2,
  failedThenCompleted: 3,
  never: 4,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** Where rows come from: the past, the time since the start, a scenario, or the orders of one keeper. */
export type RowSource = {
  /** What the figures of its rows are drawn from. */
  mixer: Mixer;
  /** What its transaction hashes are drawn from. */
  hashes: Mixer;
  requestKind: Kind;
  revealKind: Kind;
};

/** One request for good: what it is at a time follows from it. Times in unix milliseconds. */
export type LogRow = {
  source: RowSource;
  /** Its number within the source. */
  k: number;
  createdMs: number;
  /** Number of the network, see `NETWORKS`, and number of the provider on it. */
  network: number;
  provider: number;
  sender: number;
  sequence: number;
  outcome: Outcome;
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

const STATE_OF_OUTCOME: Record<Outcome, State> = [
  STATE.completed,
  STATE.callbackFailed,
  STATE.failed,
  STATE.failed,
  STATE.pending,
];

export function rowState(row: LogRow, nowMs: number): RowState {
  if (nowMs < row.finishMs) return { state: STATE.pending, updatedMs: row.createdMs };
  if (nowMs >= row.secondMs) return { state: STATE.completed, updatedMs: row.secondMs };
  return { state: STATE_OF_OUTCOME[row.outcome], updatedMs: row.finishMs };
}

export function isRevealed(state: State): boolean {
  return state === STATE.completed || state === STATE.callbackFailed;
}

export function networkAt(number: number): SimulatedNetwork {
  const network = NETWORKS[number];
  if (!network) throw new Error(`there is no network ${number}`);
  return network;
}

/** 64 hex digits each, without 0x; the rows of one batch share that of the request. */
export function requestHash({ source, lead }: LogRow): string {
  return getHash(source.hashes, source.requestKind, lead);
}

export function revealHash({ source, k }: LogRow): string {
  return getHash(source.hashes, source.revealKind, k);
}

/** The address of a provider, with 0x: each keeper has providers of its own. `world`: the mixer of addresses. */
export function providerAddress(world: Mixer, network: SimulatedNetwork, provider: number): string {
  return `0x${getAddress(world, KIND.provider, network.keeper === 'main' ? provider : 10 + provider)}`;
}

export function senderAddress(world: Mixer, sender: number): string {
  return `0x${getAddress(world, KIND.sender, sender)}`;
}

/** The first place below `count` at which `holds` is true; once true it must stay so. `count`: nowhere. */
export function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
