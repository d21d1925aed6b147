import type { FeedId, FeedUpdate } from '@/lib/domain/feed';
import type { Failure } from '@/lib/domain/outcome';
import type { OpenCause } from './connection';
import type { LineNews } from './feed-lines';
import { type FeedMark, FeedMarks } from './feed-marks';
import type { Novelty } from './feed-memory';
import { GapFilling, type GapFillingEdges } from './gap-filling';
import { type FeedGap, FILLED_BACK_S } from './gap-job';
import type { FeedHost } from './host-choice';
import type { TimerHandle } from './timers';

export type FeedGapsEdges = GapFillingEdges & { epoch: string };

export type FeedGapsListener = {
  marked(mark: FeedMark): void;
  filled(update: FeedUpdate): void;
  /** Publish time of the last update of a watched feed; undefined when there is none, `unwatched` when nobody watches. */
  lastOf(id: FeedId): number | undefined | 'unwatched';
};

/** After a stream stands, its feeds are given this long to say where they are; then what was missed is asked for. */
export const FILL_AFTER_MS = 2_000;

type Around = FeedGap & { unmoved?: 'unmoved' };
/** A gap that goes on, or whose end is so new that its feeds haven't spoken yet. */
type Gap = { key: string; fromMs: number; feeds: Map<FeedId, Around>; wait?: TimerHandle };

/** Watches the upstream streams for gaps: marks them for the charts, and has what was missed filled in. */
export class FeedGaps {
  /** By line. */
  readonly #open = new Map<number, Gap>();
  readonly #ended = new Set<Gap>();
  readonly #marks: FeedMarks;
  readonly #filling: GapFilling;
  #host: FeedHost | undefined;

  constructor(
    private readonly edges: FeedGapsEdges,
    private readonly listener: FeedGapsListener,
  ) {
    this.#marks = new FeedMarks(edges.epoch, edges.timers, (mark) => listener.marked(mark));
    this.#filling = new GapFilling(edges, {
      wanted: (id) => listener.lastOf(id) !== 'unwatched',
      filled: (update) => listener.filled(update),
      progress: (key, fill) => this.#marks.change(key, { fill }),
    });
  }

  /** @see FeedMarks.recent */
  recent(ids: readonly FeedId[]): FeedMark[] {
    return this.#marks.recent(ids);
  }

  /**
   * A stream is over.
   * @param alone whether it is the only one, so that all feeds are concerned
   * @param sinceMs up to then everything came
   */
  over({ line, ids }: LineNews, alone: boolean, sinceMs: number, failure?: Failure): void {
    this.#begin(line, ids, alone, sinceMs, failure ? 'outage' : 'planned');
  }

  /** No stream stands and an attempt failed: what began as a planned close is an outage now. */
  attemptFailed({ line, ids }: LineNews, alone: boolean): void {
    const gap = this.#open.get(line);
    if (!gap) this.#begin(line, ids, alone, this.edges.timers.now(), 'outage');
    else if (this.#marks.get(gap.key)?.kind === 'planned') this.#marks.change(gap.key, { kind: 'outage' });
  }

  opened({ line }: LineNews, cause: OpenCause, host: FeedHost): void {
    if (this.#host !== undefined && this.#host !== host) {
      this.#marks.add({ kind: 'host', fromMs: this.edges.timers.now(), host });
    }
    this.#host = host;
    if (cause === 'again') this.#close(line);
  }

  /** Nobody wants the feeds of the stream any more. */
  dropped(line: number): void {
    const gap = this.#open.get(line);
    this.#open.delete(line);
    if (gap) this.#marks.change(gap.key, { untilMs: this.edges.timers.now() });
  }

  /**
   * Readers lost the stream of another server before ours stood: a gap like any other.
   * @param firstS publish time of the first update that came since, by feed
   */
  before(fromMs: number, untilMs: number, firstS: ReadonlyMap<FeedId, number | undefined>): void {
    const feeds = [...firstS].map(([id, publishS]): [FeedId, Around] => [
      id,
      publishS === undefined ? {} : { first: { publishS } },
    ]);
    const ids = [...firstS.keys()];
    const key = this.#marks.add({ kind: 'outage', fromMs, untilMs, ids });
    this.#fillSoon({ key, fromMs, feeds: new Map(feeds) }, untilMs);
  }

  /** An update came, from a stream or as the latest price. */
  came(update: FeedUpdate, novelty: Novelty): void {
    for (const gap of [...this.#open.values(), ...this.#ended]) {
      const around = gap.feeds.get(update.id);
      if (!around || around.first || around.unmoved) continue;
      const { publishTime, prevPublishTime } = update;
      if (novelty === 'new') around.first = { publishS: publishTime, previousS: prevPublishTime };
      else if (publishTime === around.knownS) around.unmoved = 'unmoved';
    }
  }

  /** Nothing is watched any more: the next stream may begin on any host. */
  rest(): void {
    this.#host = undefined;
  }

  stop(): void {
    for (const { wait } of this.#ended) this.edges.timers.clear(wait);
    this.#open.clear();
    this.#ended.clear();
    this.#filling.stop();
    this.#marks.clear();
  }

  #begin(
    line: number,
    ids: readonly FeedId[],
    alone: boolean,
    fromMs: number,
    kind: 'outage' | 'planned',
  ): void {
    const feeds = new Map<FeedId, Around>();
    for (const id of ids) {
      const knownS = this.listener.lastOf(id);
      if (knownS !== 'unwatched') feeds.set(id, knownS === undefined ? {} : { knownS });
    }
    const key = this.#marks.add(alone ? { kind, fromMs } : { kind, fromMs, ids: [...ids] });
    this.#open.set(line, { key, fromMs, feeds });
  }

  #close(line: number): void {
    const gap = this.#open.get(line);
    if (!gap) return;
    const untilMs = this.edges.timers.now();
    this.#open.delete(line);
    this.#marks.change(gap.key, { untilMs });
    this.#fillSoon(gap, untilMs);
  }

  #fillSoon(gap: Gap, untilMs: number): void {
    this.#ended.add(gap);
    gap.wait = this.edges.timers.after(FILL_AFTER_MS, () => {
      this.#ended.delete(gap);
      this.#fill(gap, untilMs);
    });
  }

  #fill({ key, fromMs, feeds }: Gap, untilMs: number): void {
    const missed = [...feeds].filter(([, { unmoved }]) => !unmoved);
    const untilS = Math.floor(untilMs / 1000);
    const oldestS = Math.ceil(this.edges.timers.now() / 1000) - FILLED_BACK_S;
    this.#filling.fill(key, Math.max(oldestS, Math.floor(fromMs / 1000)), untilS, new Map(missed));
  }
}
