import type { FeedStreamOptions } from '@/lib/contract/codec/feed-history';
import { FeedLine } from './feed-line';
import { FeedMember } from './feed-member';
import type { SourceEdges } from './feed-source';
import {
  type FeedCarrier,
  type FeedEars,
  type FeedWish,
  fasterRate,
  optionsKey,
  type WishEnd,
} from './feed-wish';

/** Feeds on one stream: what our server takes. Its address is 13 kB long then. */
export const MOST_FEEDS_PER_LINE = 200;

/** A browser keeps six connections to a host over HTTP/1.1; the rest is for pages, and for streams that take over. */
export const MOST_LINES = 3;

/** A computer that slept shows by its clock: timers that come so much too late. */
const TICK_MS = 2_000;
const SLEPT_MS = 10_000;

/** The way of one page to the streams. */
export type FeedSeat = FeedCarrier & { leave(end?: WishEnd): void };

/** What all pages want together with the same options. */
type Wanted = { options: FeedStreamOptions | undefined; ids: Set<string>; maxPerS: number | undefined };

/** A stream and the feeds that were put on it. */
type Line = { readonly key: string; readonly line: FeedLine; ids: readonly string[] };

/**
 * All pages of a browser on one stream: the union of the feeds that they want, at the rate of the fastest. It connects
 * with the first wish and closes `lingerMs` after the last one. Feeds with options of their own, and those beyond what one
 * stream takes, come on another; at most `MOST_LINES` in all.
 */
export class FeedSwitchboard {
  readonly #members = new Set<FeedMember>();
  readonly #lines = new Set<Line>();
  #lingering: unknown;
  #ticking: unknown;

  constructor(
    private readonly edges: SourceEdges,
    private readonly lingerMs: number,
  ) {}

  /** How many pages want something. */
  get wishes(): number {
    return [...this.#members].filter(({ wish }) => wish !== undefined).length;
  }

  /** A page joins; it hears nothing before it wants something. */
  join(ears: FeedEars): FeedSeat {
    const member = new FeedMember(this.edges, ears);
    this.#members.add(member);
    return {
      follow: (wish, end) => this.#follow(member, wish, end),
      wake: () => {
        for (const line of member.lines) line.wake();
      },
      leave: (end) => {
        this.#follow(member, undefined, end);
        this.#members.delete(member);
      },
    };
  }

  #follow(member: FeedMember, wish: FeedWish | undefined, end?: WishEnd): void {
    if (wish === undefined && member.wish === undefined) return;
    member.wants(wish);
    this.edges.clearTimer(this.#lingering);
    if (this.wishes === 0 && this.lingerMs > 0 && end === undefined) {
      member.lines = [];
      this.#lingering = this.edges.setTimer(() => this.#plan(), this.lingerMs);
    } else this.#plan();
    if (wish === undefined) member.link();
    else if (member.isServed()) member.begin();
    else
      member.refuse(
        `This browser keeps at most ${MOST_LINES} streams open. Close a page, or show fewer feeds.`,
      );
  }

  /** Puts every wanted feed on a stream, and closes streams that nobody needs. */
  #plan(): void {
    const wanted = wantedOf(this.#members);
    for (const one of this.#lines) {
      const group = wanted.get(one.key);
      one.ids = one.ids.filter((id) => group?.ids.has(id) === true);
      if (one.ids.length === 0) this.#drop(one);
    }
    for (const [key, group] of wanted) this.#place(key, group.ids);
    for (const member of this.#members) member.lines = this.#linesOf(member);
    for (const { key, line, ids } of this.#lines) {
      const group = wanted.get(key);
      if (group !== undefined) line.want({ ids, maxPerS: group.maxPerS, options: group.options });
    }
    this.#watchSleep();
  }

  /** Feeds stay where they are; new ones go where there is room. */
  #place(key: string, ids: ReadonlySet<string>): void {
    const lines = () => [...this.#lines].filter((one) => one.key === key);
    const placed = new Set(lines().flatMap((one) => one.ids));
    for (const id of ids) {
      if (placed.has(id)) continue;
      const line = lines().find((one) => one.ids.length < MOST_FEEDS_PER_LINE) ?? this.#add(key);
      if (line !== undefined) line.ids = [...line.ids, id].sort();
    }
  }

  #add(key: string): Line | undefined {
    if (this.#lines.size >= MOST_LINES) return undefined;
    const listeners = () => [...this.#members].filter(({ lines }) => lines.includes(line));
    const line: FeedLine = new FeedLine(this.edges, {
      onUpdates: (delta) => {
        for (const member of listeners()) member.updates(delta, line);
      },
      onSnapshot: (ids) => {
        for (const member of listeners()) if (member.wantsAnyOf(ids)) member.snapshot();
      },
      onNews: (event) => {
        for (const member of listeners()) member.news(event);
      },
      onLink: () => {
        for (const member of listeners()) member.link();
      },
    });
    const added = { key, line, ids: [] };
    this.#lines.add(added);
    return added;
  }

  #drop(one: Line): void {
    this.#lines.delete(one);
    one.line.close();
  }

  #linesOf({ wish }: FeedMember): FeedLine[] {
    if (wish === undefined) return [];
    const key = optionsKey(wish.options);
    const mine = new Set(wish.ids);
    return [...this.#lines].flatMap((one) =>
      one.key === key && one.ids.some((id) => mine.has(id)) ? [one.line] : [],
    );
  }

  /** A page that nobody left may find a stream dead after its computer slept: its own events say nothing of that. */
  #watchSleep(): void {
    this.edges.clearTimer(this.#ticking);
    if (this.#lines.size === 0) return;
    const dueMs = this.edges.now() + TICK_MS;
    this.#ticking = this.edges.setTimer(() => {
      if (this.edges.now() - dueMs > SLEPT_MS) for (const { line } of this.#lines) line.wake();
      this.#watchSleep();
    }, TICK_MS);
  }
}

function wantedOf(members: Iterable<FeedMember>): Map<string, Wanted> {
  const groups = new Map<string, Wanted>();
  for (const { wish } of members) {
    if (wish === undefined) continue;
    const key = optionsKey(wish.options);
    const { options, maxPerS } = wish;
    const group = groups.get(key) ?? { options, ids: new Set(), maxPerS };
    for (const id of wish.ids) group.ids.add(id);
    group.maxPerS = fasterRate(group.maxPerS, maxPerS);
    groups.set(key, group);
  }
  return groups;
}
