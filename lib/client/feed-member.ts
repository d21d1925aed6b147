import type { FeedConnection, FeedDelta, FeedSnapshot } from '@/lib/contract/codec/feed-stream';
import type { FeedLine, LineNews } from './feed-line';
import { FeedPace } from './feed-pace';
import { marksFor } from './feed-picture';
import type { SourceEdges, SourceLink } from './feed-source';
import type { FeedEars, FeedWish } from './feed-wish';

/** The worst of what several streams say is what a page is told. */
const WORST_CONNECTION = ['failed', 'reconnecting', 'connecting', 'live', 'quiet'] as const;
const WORST_LINK = ['lost', 'opening', 'open', 'closed'] as const;

/** One page on the switchboard: it hears of its own feeds only, at its own rate. */
export class FeedMember {
  wish: FeedWish | undefined;
  /** The streams that carry its feeds: one, unless its feeds are very many. */
  lines: readonly FeedLine[] = [];
  #ids: ReadonlySet<string> = new Set();
  #told: string | undefined;
  readonly #pace: FeedPace;

  constructor(
    private readonly edges: SourceEdges,
    private readonly ears: FeedEars,
  ) {
    this.#pace = new FeedPace(edges, (value) => ears.onEvent({ name: 'update', value }));
  }

  wants(wish: FeedWish | undefined): void {
    this.wish = wish;
    this.#ids = new Set(wish?.ids);
    this.#told = undefined;
    this.#pace.stop();
  }

  /** Whether each of its feeds is on a stream. */
  isServed(): boolean {
    const carried = new Set(this.lines.flatMap((line) => line.wanted));
    return [...this.#ids].every((id) => carried.has(id));
  }

  wantsAnyOf(ids: ReadonlySet<string>): boolean {
    return [...this.#ids].some((id) => ids.has(id));
  }

  /** Everything that is known, at once. */
  begin(): void {
    this.link();
    const refused = this.lines.find(({ refusal }) => refusal !== undefined);
    if (refused?.refusal !== undefined) {
      const { value, untilMs } = refused.refusal;
      const retryAfterS = Math.max(0, Math.ceil((untilMs - this.edges.now()) / 1000));
      this.ears.onEvent({ name: 'refused', value: { ...value, retryAfterS } });
    } else this.snapshot();
  }

  /** The picture of its feeds, as far as it is known. */
  snapshot(): void {
    const ids = this.wish?.ids ?? [];
    const parts = this.lines.flatMap(({ picture }) => picture.snapshotOf(ids) ?? []);
    const [first] = parts;
    if (first === undefined) return;
    this.#pace.flush();
    this.ears.onEvent({ name: 'snapshot', value: parts.length === 1 ? first : joined(parts) });
  }

  news(event: LineNews): void {
    if (event.name === 'refused') {
      this.ears.onEvent(event);
    } else if (event.name === 'marks') {
      const marks = marksFor(event.value.marks, this.#ids);
      if (marks.length > 0) this.ears.onEvent({ name: 'marks', value: { marks } });
    } else {
      const value = worstConnection(this.lines.flatMap(({ picture }) => picture.connection ?? []));
      if (value !== undefined) this.ears.onEvent({ name: 'connection', value });
    }
  }

  /** There is no stream left for its feeds. */
  refuse(detail: string): void {
    this.link();
    this.ears.onEvent({ name: 'refused', value: { kind: 'too-many', detail } });
  }

  updates({ feeds, folded = 0 }: FeedDelta, line: FeedLine): void {
    const { wish } = this;
    if (wish === undefined) return;
    const mine = feeds.filter(({ id }) => this.#ids.has(id));
    // What the stream folded is told for all of its feeds together: it is this page's own only where they are the same.
    const own = line.wanted.length === this.#ids.size ? folded : 0;
    if (mine.length === 0 && own === 0) return;
    const paced = wish.maxPerS !== undefined && wish.maxPerS !== line.maxPerS;
    this.#pace.take(mine, own, paced ? 1000 / (wish.maxPerS ?? 1) : 0);
  }

  link(): void {
    const links = this.lines.map((line) => line.link);
    const kind = WORST_LINK.find((one) => links.some((link) => link.kind === one)) ?? 'closed';
    const link: SourceLink = links.find((one) => one.kind === kind) ?? { kind: 'closed' };
    const text = JSON.stringify(link);
    if (text !== this.#told) {
      this.#told = text;
      this.ears.onLink(link);
    }
  }
}

function worstConnection(connections: readonly FeedConnection[]): FeedConnection | undefined {
  const state = WORST_CONNECTION.find((one) => connections.some((connection) => connection.state === one));
  return connections.find((one) => one.state === state);
}

function joined(parts: readonly FeedSnapshot[]): FeedSnapshot {
  const marks = new Map(parts.flatMap((part) => part.marks ?? []).map((mark) => [mark.key, mark]));
  return {
    feeds: parts.flatMap(({ feeds }) => feeds),
    missing: parts.flatMap(({ missing }) => missing),
    connection: worstConnection(parts.map(({ connection }) => connection)) ?? {
      state: 'connecting',
      sinceMs: 0,
    },
    marks: [...marks.values()],
    run: parts.find(({ run }) => run !== undefined)?.run,
  };
}
