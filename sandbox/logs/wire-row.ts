import type { Mixer } from './mix';
import type { State } from './row-table';

/** All that the text of a row is made of, as of one moment. Times in unix milliseconds. */
export type WireRow = {
  /** Number of the network, see `NETWORKS`. */
  network: number;
  /** Number of the provider on it. */
  provider: number;
  sender: number;
  sequence: number;
  createdMs: number;
  /** When its state changed last. */
  updatedMs: number;
  state: State;
  /** How far the clock of the service was off when it wrote either time down; absent: not at all. */
  clockOff?: { createdMs: number; updatedMs: number };
  /** Absent: as its sender asks for. */
  gasLimit?: number;
  /** What its figures are drawn from, and the number that they are drawn with. */
  mixer: Mixer;
  k: number;
  /** The number of the request whose random number it gave as well: its own, but for a reorganisation twin. */
  contribution: number;
  /** 64 hex digits each. */
  requestHash: () => string;
  revealHash: () => string;
};

/** The time of creation as the service wrote it down. */
export function shownMs({ createdMs, clockOff }: WireRow): number {
  return createdMs + (clockOff?.createdMs ?? 0);
}
