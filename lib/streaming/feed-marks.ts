import type { FeedId } from '@/lib/domain/feed';
import type { FeedHost } from './host-choice';
import type { Timers } from './timers';

/** How far the filling of a gap is. Seconds of the gap: `doneS` of `ofS` are dealt with. */
export type GapFill = { state: 'filling' | 'done' | 'partial' | 'impossible'; doneS: number; ofS: number };

/** Something that a chart shows beside the prices. Times are unix milliseconds. */
export type FeedMark = {
  key: string;
  /** No stream, a close of the service in good order, or another host from `fromMs` on. */
  kind: 'outage' | 'planned' | 'host';
  fromMs: number;
  /** Absent as long as it goes on, and for `host`. */
  untilMs?: number;
  host?: FeedHost;
  /** The feeds that it concerns; absent: all. */
  ids?: FeedId[];
  fill?: GapFill;
};

/** As far back as the memory of the feeds goes. */
export const MARKS_KEPT_MS = 30 * 60_000;
/** At the bound the oldest that is over is forgotten: a service that closes every 5 s makes 360 in half an hour. */
export const MOST_MARKS = 400;

/** What happened to the streams in the last half an hour. */
export class FeedMarks {
  readonly #marks = new Map<string, FeedMark>();
  #made = 0;

  /** @param changed hears of each mark that is new or has changed */
  constructor(
    private readonly prefix: string,
    private readonly timers: Timers,
    private readonly changed: (mark: FeedMark) => void,
  ) {}

  /** Adds a mark; gives its key. */
  add(mark: Omit<FeedMark, 'key'>): string {
    this.#made += 1;
    const key = `${this.prefix}.${this.#made}`;
    this.#keep({ key, ...mark });
    this.#forgetOld();
    return key;
  }

  /** Changes a mark that is still known. */
  change(key: string, change: Partial<Omit<FeedMark, 'key'>>): void {
    const mark = this.#marks.get(key);
    if (mark) this.#keep({ ...mark, ...change });
  }

  get(key: string): FeedMark | undefined {
    return this.#marks.get(key);
  }

  /** The marks of the last half an hour that concern one of these feeds, oldest first. */
  recent(ids: readonly FeedId[]): FeedMark[] {
    this.#forgetOld();
    const asked = new Set(ids);
    return [...this.#marks.values()].filter((mark) => !mark.ids || mark.ids.some((id) => asked.has(id)));
  }

  clear(): void {
    this.#marks.clear();
  }

  #keep(mark: FeedMark): void {
    this.#marks.set(mark.key, mark);
    this.changed(mark);
  }

  #forgetOld(): void {
    const oldest = this.timers.now() - MARKS_KEPT_MS;
    for (const [key, mark] of this.#marks) {
      const open = mark.kind !== 'host' && mark.untilMs === undefined;
      const old = (mark.untilMs ?? mark.fromMs) < oldest;
      if (!open && (old || this.#marks.size > MOST_MARKS)) this.#marks.delete(key);
    }
  }
}
