import 'server-only';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { type MemoryShare, RememberedRows } from './export-memory';
import { type Ask, type PartWalk, type WalkRow, WIDEST_WINDOW_MS } from './export-walk';

/**
 * The order in which requests go through the states: a row only ever moves from an earlier one to a later one, where
 * unknown states may lie anywhere between.
 */
const STAGES: (string | undefined)[] = ['Pending', undefined, 'Failed'];

/** 0 is read first. A part without a state, or with one that rows do not leave, comes last. */
function stageOf({ part }: PartWalk): number {
  const { state } = part.filter;
  if (state === undefined || state === 'Completed' || state === 'CallbackErrored') return STAGES.length;
  const at = STAGES.indexOf(state);
  return at < 0 ? STAGES.indexOf(undefined) : at;
}

/** Parts of one keeper and network, of which a row is in exactly one at a time. */
export function groupOf({ keeper, part }: PartWalk): string {
  return `${keeper}/${part.filter.networkId ?? ''}`;
}

/** A row is remembered by its part and here. */
const IDENTITIES_PER_ROW = 2;

type Lane = {
  walk: PartWalk;
  place: number;
  stage: number;
  group: string;
  /** Rows of its group that were given out within the last window, newest first. */
  recent: RememberedRows;
};

/**
 * Several parts as one list, newest first; of the same moment in the order of the parts. A row that moves from one state
 * to the next while it is read is in the list once: a slice of an earlier state is always read before the same slice of a
 * later one (so that no row slips through between them), and what both bring is taken once.
 */
export class MergedWalk {
  /** Rows given out so far, by group. */
  readonly written = new Map<string, number>();
  readonly #lanes: Lane[];
  readonly #recent = new Map<string, RememberedRows>();
  #last: WalkRow | undefined;

  /** @param share the one of the walks, which whoever made it ends */
  constructor(
    readonly walks: readonly PartWalk[],
    readonly share: MemoryShare,
  ) {
    const lanes = walks.map((walk, place): Lane => {
      const group = groupOf(walk);
      const recent = this.#recent.get(group) ?? new RememberedRows(share);
      this.#recent.set(group, recent);
      return { walk, place, stage: stageOf(walk), group, recent };
    });
    this.#lanes = lanes.sort((a, b) => a.stage - b.stage || a.place - b.place);
  }

  /** Reads the first page of every part, so that their totals are known. */
  begin(ask: Ask, signal: AbortSignal): Promise<Outcome<true>> {
    return this.#fill(ask, signal);
  }

  /**
   * Up to `most` further rows; empty at the end. What was read before a failure is given out by earlier calls.
   * @param most at least 1
   */
  async next(most: number, ask: Ask, signal: AbortSignal): Promise<Outcome<WalkRow[]>> {
    const rows: WalkRow[] = [];
    while (rows.length < most) {
      if (this.#lanes.some(({ walk }) => walk.needsFilling)) {
        // Rows that are here already are not held back by a slow service.
        if (rows.length > 0) break;
        const filled = await this.#fill(ask, signal);
        if (!filled.ok) return filled;
      }
      const newest = this.#newest();
      if (newest === undefined) break;
      if (!this.share.hasRoomFor(IDENTITIES_PER_ROW)) {
        if (rows.length > 0) break;
        return tooManyOfOneMoment(this.share);
      }
      const row = newest.walk.take();
      if (this.#isNew(row, newest)) rows.push(row);
    }
    return ok(rows);
  }

  /** In the order of the states; whoever reads on makes the later ones of its group read that time again. */
  async #fill(ask: Ask, signal: AbortSignal): Promise<Outcome<true>> {
    for (let stage = 0; stage <= STAGES.length; stage++) {
      const due = this.#lanes.filter((lane) => lane.stage === stage && lane.walk.needsFilling);
      const filled = await eachOf(due, (lane) => (signal.aborted ? CANCELLED : lane.walk.fill(ask)));
      if (!filled.ok) return filled;
      if (this.#last !== undefined) for (const lane of due) this.#restartAfter(lane, this.#last);
    }
    return ok(true);
  }

  #restartAfter(lane: Lane, last: WalkRow): void {
    for (const later of this.#lanes) {
      if (later.group === lane.group && later.stage > lane.stage) later.walk.restart(last);
    }
  }

  #newest(): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.#lanes) {
      const head = lane.walk.head;
      if (head === undefined) continue;
      const order = best?.walk.head === undefined ? -1 : timeOrder(head, best.walk.head);
      if (best === undefined || order < 0 || (order === 0 && lane.place < best.place)) best = lane;
    }
    return best;
  }

  #isNew(row: WalkRow, { group, recent }: Lane): boolean {
    if (this.#last === undefined || row.ms < this.#last.ms) this.#moveTo(row);
    if (recent.has(row.identity)) return false;
    recent.add(row.identity, row.ms);
    this.written.set(group, (this.written.get(group) ?? 0) + 1);
    return true;
  }

  #moveTo(row: WalkRow): void {
    this.#last = row;
    for (const recent of this.#recent.values()) recent.forgetNewerThan(row.ms + WIDEST_WINDOW_MS);
  }
}

const CANCELLED = failed<true>({ kind: 'unreachable', detail: 'The export was cancelled.' });

/** The list has no end, or others hold so much that it can't be told whether it has one. */
function tooManyOfOneMoment({ memory, own }: MemoryShare): Outcome<WalkRow[]> {
  const most = Math.floor(memory.most / IDENTITIES_PER_ROW);
  if (memory.held === own) {
    const detail = `The request log service gives more than ${most} rows of one moment.`;
    return failed({ kind: 'malformed', service: 'logs', detail });
  }
  const ownRows = Math.ceil(own / IDENTITIES_PER_ROW);
  const detail = `The exports under way have more than ${most} rows of one moment together, and this one ${ownRows} of them. Try again when the others have ended.`;
  return failed({ kind: 'too-many', detail });
}

/** How many pages of one stage are asked for at once: few, since users go first. */
const AT_ONCE = 4;

async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Outcome<true> | Promise<Outcome<true>>,
): Promise<Outcome<true>> {
  let next = 0;
  let result: Outcome<true> = ok(true);
  const worker = async () => {
    for (let item = items[next++]; item !== undefined && result.ok; item = items[next++]) {
      const outcome = await work(item);
      if (!outcome.ok) result = outcome;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return result;
}

/** Negative when `a` comes first: the newer one. */
function timeOrder(a: WalkRow, b: WalkRow): number {
  if (a.ms !== b.ms) return b.ms - a.ms;
  return a.moment === b.moment ? 0 : a.moment > b.moment ? -1 : 1;
}
