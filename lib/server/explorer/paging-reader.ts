import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { WIRE_STATE } from '@/lib/domain/request-record';
import { isUnserved } from './log-source';
import type { Part } from './parts';
import { FIRST, type Moment, type PlacedRow, placeRows } from './time-order';

/** A stretch of the list of one part. */
export type Window = {
  /** Index of its first row, or where that would stand. */
  start: number;
  rows: PlacedRow[];
  /** All rows of the list at that time; undefined when the service does not say. */
  total: bigint | undefined;
  /** Whether the list ends with it. */
  ended: boolean;
};

/** The parts of a view while one listing is made of them. Every call is made for somebody who waits. */
export type PartReader = {
  size: number;
  /**
   * `still`: the lists are pinned in time and rows do not leave them. `moving`: rows may appear or leave between two
   * calls.
   */
  motion: 'still' | 'moving';
  /** Rows from `start` on: `count` of them, or all that there are. `before`: the moment of the row before them. */
  rows(part: number, start: number, count: number, before?: Moment): Promise<Outcome<Window>>;
  /** How many rows of a part were created at `min` (ISO) or later. */
  countFrom(part: number, min: string): Promise<Outcome<number>>;
  /**
   * Does the work for every part, as much of it at once as loses no row: a request that changes from one state to
   * another meanwhile is asked for in its old state first, so it may be met twice, but never missed.
   */
  rowsOfAll<T>(work: (part: number) => Promise<Outcome<T>>): Promise<Outcome<T[]>>;
  /** Does the work for every part at once. */
  ofAll<T>(work: (part: number) => Promise<Outcome<T>>): Promise<Outcome<T[]>>;
  /** Whether a request of the first part may have moved to the second one by the time that one is asked. */
  leadsTo(one: number, other: number): boolean;
  /** Networks that turned out not to be served, each once. */
  unserved(): { keeper: string; networkId: string }[];
};

export function createPartReader(parts: readonly Part[], motion: PartReader['motion']): PartReader {
  return new OpenParts(parts, motion);
}

/**
 * A request goes from pending to any other state, and from a failure to completed, never back. The states that are not
 * named here come last.
 */
const STAGES = [WIRE_STATE.pending, WIRE_STATE.failed, WIRE_STATE['callback-failed']];

function stageOf({ filter }: Part): number {
  const stage = STAGES.indexOf(filter.state ?? '');
  return stage < 0 ? STAGES.length : stage;
}

class OpenParts implements PartReader {
  readonly size: number;
  readonly motion: PartReader['motion'];
  readonly #parts: readonly Part[];
  readonly #unserved = new Map<string, { keeper: string; networkId: string }>();

  constructor(parts: readonly Part[], motion: PartReader['motion']) {
    this.size = parts.length;
    this.motion = motion;
    this.#parts = parts;
  }

  async rows(part: number, start: number, count: number, before = FIRST): Promise<Outcome<Window>> {
    const { source, filter } = this.#part(part);
    // A service need not take a limit of 0, and its total is wanted all the same.
    const page = await source.page(filter, Math.max(1, count), start, 'user');
    if (!page.ok) {
      if (!this.#noteUnserved(page.failure, part)) return page;
      return ok({ start: 0, rows: [], total: 0n, ended: true });
    }
    const rows = placeRows(page.value.rows.slice(0, count), start, before);
    const total = page.value.total === undefined ? undefined : BigInt(page.value.total);
    const ended = rows.length < count || total === BigInt(start + rows.length);
    return ok({ start, rows, total, ended });
  }

  async countFrom(part: number, min: string): Promise<Outcome<number>> {
    const { source, filter } = this.#part(part);
    const count = await source.count({ ...filter, min }, 'user');
    if (count.ok) return ok(Number(count.value));
    return this.#noteUnserved(count.failure, part) ? ok(0) : count;
  }

  async rowsOfAll<T>(work: (part: number) => Promise<Outcome<T>>): Promise<Outcome<T[]>> {
    const results: T[] = [];
    for (const stage of this.#stages()) {
      const done = await Promise.all(stage.map(work));
      for (const [at, outcome] of done.entries()) {
        if (!outcome.ok) return outcome;
        results[stage[at] ?? 0] = outcome.value;
      }
    }
    return ok(results);
  }

  async ofAll<T>(work: (part: number) => Promise<Outcome<T>>): Promise<Outcome<T[]>> {
    const outcomes = await Promise.all(this.#parts.map((_, part) => work(part)));
    const values: T[] = [];
    for (const outcome of outcomes) {
      if (!outcome.ok) return failed(outcome.failure);
      values.push(outcome.value);
    }
    return ok(values);
  }

  leadsTo(one: number, other: number): boolean {
    const [a, b] = [this.#part(one), this.#part(other)];
    return a.source === b.source && a.filter.networkId === b.filter.networkId && stageOf(a) < stageOf(b);
  }

  unserved() {
    return [...this.#unserved.values()];
  }

  #part(part: number): Part {
    const found = this.#parts[part];
    if (found === undefined) throw new RangeError(`There is no part ${part}.`);
    return found;
  }

  /** The numbers of the parts, by stage. */
  #stages(): number[][] {
    const stages: number[][] = [...STAGES, 'others'].map(() => []);
    for (const [at, part] of this.#parts.entries()) stages[stageOf(part)]?.push(at);
    return stages.filter((stage) => stage.length > 0);
  }

  #noteUnserved(failure: Failure, part: number): boolean {
    const { source, filter } = this.#part(part);
    if (!isUnserved(failure, filter) || filter.networkId === undefined) return false;
    const { keeper } = source;
    this.#unserved.set(`${keeper}/${filter.networkId}`, { keeper, networkId: filter.networkId });
    return true;
  }
}
