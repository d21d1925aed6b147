import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import type { FeedId } from '@/lib/domain/feed';
import type { Failure } from '@/lib/domain/outcome';
import type { OpenCause } from './connection';
import type { FeedHost } from './host-choice';
import type { Timers } from './timers';
import type { LineNews } from './upstream-streams';

/** Marks are told for so long. */
export const MARKS_KEPT_MS = 30 * 60_000;
/** At the bound the oldest that is over is forgotten: a service that closes every 5 s makes 360 in half an hour. */
const MOST_MARKS = 400;

/** What happened to the upstream streams in the last half an hour, for the charts: gaps, and changes of the host. */
export class StreamMarks {
  readonly #marks = new Map<string, FeedMark>();
  /** Keys of the gaps that go on, by line. */
  readonly #open = new Map<number, string>();
  #made = 0;
  #host: FeedHost | undefined;

  /**
   * @param prefix told apart from that of every other run of the process
   * @param changed hears of each mark that is new or has changed
   */
  constructor(
    private readonly prefix: string,
    private readonly timers: Timers,
    private readonly changed: (mark: FeedMark) => void,
  ) {}

  /** The marks of the last half an hour that concern one of these feeds, oldest first. */
  recent(ids: readonly FeedId[]): FeedMark[] {
    this.#forgetOld();
    const asked = new Set<string>(ids);
    return [...this.#marks.values()].filter((mark) => !mark.ids || mark.ids.some((id) => asked.has(id)));
  }

  /**
   * A stream is over.
   * @param alone whether it is the only one, so that all feeds are concerned
   * @param sinceMs up to then everything came
   */
  over(news: LineNews, alone: boolean, sinceMs: number, failure?: Failure): void {
    this.#begin(news, alone, sinceMs, failure ? 'outage' : 'planned');
  }

  /** No stream stands and an attempt failed: what began as a planned close is an outage now. */
  attemptFailed(news: LineNews, alone: boolean): void {
    const mark = this.#openMark(news.line);
    if (!mark) this.#begin(news, alone, this.timers.now(), 'outage');
    else if (mark.kind === 'planned') this.#keep({ ...mark, kind: 'outage' });
  }

  /** A stream stands. */
  opened({ line }: LineNews, cause: OpenCause, host: FeedHost): void {
    if (this.#host !== undefined && this.#host !== host) {
      this.#add({ kind: 'host', fromMs: this.timers.now(), host });
    }
    this.#host = host;
    if (cause === 'again') this.#end(line);
  }

  /** Nobody wants the feeds of the stream any more. */
  dropped(line: number): void {
    this.#end(line);
  }

  /** Nothing is watched any more: the next stream may begin on any host. */
  rest(): void {
    this.#host = undefined;
  }

  clear(): void {
    this.#open.clear();
    this.#marks.clear();
  }

  #begin({ line, ids }: LineNews, alone: boolean, fromMs: number, kind: 'outage' | 'planned'): void {
    this.#open.set(line, this.#add(alone ? { kind, fromMs } : { kind, fromMs, ids: [...ids] }));
  }

  #end(line: number): void {
    const mark = this.#openMark(line);
    this.#open.delete(line);
    if (mark) this.#keep({ ...mark, untilMs: this.timers.now() });
  }

  #openMark(line: number): FeedMark | undefined {
    const key = this.#open.get(line);
    return key === undefined ? undefined : this.#marks.get(key);
  }

  #add(mark: Omit<FeedMark, 'key'>): string {
    this.#made += 1;
    const key = `${this.prefix}.${this.#made}`;
    this.#keep({ key, ...mark });
    this.#forgetOld();
    return key;
  }

  #keep(mark: FeedMark): void {
    this.#marks.set(mark.key, mark);
    this.changed(mark);
  }

  #forgetOld(): void {
    const oldest = this.timers.now() - MARKS_KEPT_MS;
    for (const [key, mark] of this.#marks) {
      const isOpen = mark.kind !== 'host' && mark.untilMs === undefined;
      const isOld = (mark.untilMs ?? mark.fromMs) < oldest;
      if (!isOpen && (isOld || this.#marks.size > MOST_MARKS)) this.#marks.delete(key);
    }
  }
}
