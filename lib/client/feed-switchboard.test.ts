import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CompactFeed, FeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import { FakeBrowser } from './feed-fakes';
import type { SourceLink } from './feed-source';
import { FeedSwitchboard } from './feed-switchboard';
import type { FeedWish } from './feed-wish';

const [A, B, C] = ['aa', 'bb', 'cc'].map((one) => one.repeat(32)) as [string, string, string];
const live = { state: 'live', sinceMs: 0 };
const LINGER_MS = 2_000;

let browser: FakeBrowser;
let board: FeedSwitchboard;

beforeEach(() => {
  browser = new FakeBrowser();
  board = new FeedSwitchboard(browser.edges, LINGER_MS);
});

const update = (id: string, n: number): CompactFeed => ({ id, p: String(n), c: '1', e: 0, t: n, r: n });

/** A page that writes down what it hears. */
function page(wish?: FeedWish) {
  const events: FeedStreamEvent[] = [];
  const links: SourceLink['kind'][] = [];
  const seat = board.join({
    onEvent: (event) => events.push(event),
    onLink: (link) => links.push(link.kind),
  });
  if (wish !== undefined) seat.follow(wish);
  const prices = (name: 'update' | 'snapshot') =>
    events.flatMap((event) => (event.name === name ? event.value.feeds.map(({ p }) => p) : []));
  return { seat, events, links, prices };
}

function begin(feeds: readonly CompactFeed[] = [], seq = 0, missing: readonly string[] = []): void {
  browser.source.open();
  browser.source.send('snapshot', { feeds, missing, connection: live }, `e.${seq}`);
}

const tell = (n: number, ...ids: string[]) =>
  browser.source.send('update', { feeds: ids.map((id) => update(id, n)) }, `e.${n}`);

describe('the last page that leaves', () => {
  it('leaves the stream for a moment to the one that follows, unless it is put away as it is, and the worker with it', () => {
    const { seat } = page({ ids: [A] });
    begin();
    seat.leave();
    expect(browser.openSources).toBe(1);
    browser.pass(LINGER_MS);
    expect(browser.openSources).toBe(0);
    const other = page({ ids: [A] });
    begin();
    other.seat.leave('at once');
    expect(browser.openSources).toBe(0);
  });
});

describe('pages on one stream', () => {
  it('are one stream for the union of their feeds at the rate of the fastest', () => {
    page({ ids: [B], maxPerS: 2 });
    begin();
    page({ ids: [A], maxPerS: 5 });
    browser.pass(50);
    begin();
    expect(browser.source.url).toBe(`/api/feeds/stream?ids=${A},${B}&max_per_s=5`);
    expect(browser.openSources).toBe(1);
  });

  it('hear of their own feeds only', () => {
    page({ ids: [A, B] });
    begin([], 0, [B]);
    const one = page({ ids: [A] });
    const other = page({ ids: [B] });
    tell(1, A);
    expect([one.prices('update'), other.prices('update')]).toEqual([['1'], []]);
    const missing = (events: FeedStreamEvent[]) =>
      events.flatMap((event) => (event.name === 'snapshot' ? [event.value.missing] : []));
    expect([missing(one.events), missing(other.events)]).toEqual([[[]], [[B]]]);
  });

  it('get a snapshot at once when they open', () => {
    page({ ids: [A, B] });
    begin([update(A, 1), update(B, 1)]);
    tell(2, B);
    const late = page({ ids: [B] });
    expect(late.links).toEqual(['open']);
    expect(late.events).toMatchObject([{ name: 'snapshot', value: { feeds: [{ id: B, p: '2' }] } }]);
    expect(browser.sources).toHaveLength(1);
  });

  it('get the latest at their own rate, and are told how many were folded', () => {
    page({ ids: [A] });
    const slow = page({ ids: [A], maxPerS: 2 });
    begin();
    for (const n of [1, 2, 3]) tell(n, A);
    expect(slow.prices('update')).toEqual(['1']);
    browser.pass(500);
    expect(slow.prices('update')).toEqual(['1', '3']);
    expect(slow.events.at(-1)).toMatchObject({ value: { folded: 1 } });
  });

  it('that open together cost one new stream', () => {
    page({ ids: [A] });
    begin();
    for (const id of [B, C]) page({ ids: [id] });
    browser.pass(50);
    expect(browser.sources).toHaveLength(2);
  });

  it('that wake together make the stream anew once', () => {
    const pages = [1, 2, 3].map(() => page({ ids: [A] }));
    begin();
    browser.pass(5_000);
    for (const { seat } of pages) seat.wake();
    expect([browser.sources.length, browser.openSources]).toEqual([2, 1]);
  });

  it('find the stream made anew after sleep, of which nobody told', () => {
    page({ ids: [A] });
    begin();
    browser.now += 3_600_000;
    browser.pass(2_000);
    expect([browser.sources.length, browser.openSources]).toEqual([2, 1]);
  });

  it('keep the stream from one page to the next, and close it soon after the last', () => {
    const one = page({ ids: [A] });
    begin();
    one.seat.leave();
    browser.pass(LINGER_MS - 1);
    const next = page({ ids: [A] });
    expect([browser.sources.length, browser.openSources]).toEqual([1, 1]);
    next.seat.leave();
    browser.pass(LINGER_MS);
    expect([browser.openSources, browser.waitingTimers]).toEqual([0, 0]);
  });

  it('give back what nobody wants any more, but not for the reload of one of them', () => {
    page({ ids: [A] });
    const other = page({ ids: [B] });
    browser.pass(50);
    begin();
    other.seat.leave();
    browser.pass(29_999);
    expect(browser.sources).toHaveLength(2);
    browser.pass(1);
    expect(browser.source.url).toBe(`/api/feeds/stream?ids=${A}`);
  });

  it('are all told of a refusal, and the stream is asked for when its time is over', () => {
    const pages = [page({ ids: [A] }), page({ ids: [A] })];
    browser.source.open();
    browser.source.send('refused', { kind: 'too-many', detail: 'Enough.', retryAfterS: 7 });
    browser.pass(2_000);
    const late = page({ ids: [A] });
    for (const { events } of pages) expect(events).toMatchObject([{ name: 'refused' }]);
    expect(late.events).toMatchObject([{ name: 'refused', value: { retryAfterS: 5 } }]);
    expect(browser.openSources).toBe(0);
    browser.pass(5_000);
    expect(browser.openSources).toBe(1);
  });

  it('have a stream of their own with options of their own, and are refused when there are too many', () => {
    const pages = [
      page({ ids: [A] }),
      page({ ids: [A], options: { unordered: 'allowed' } }),
      page({ ids: [A], options: { benchmarks: 'only' } }),
      page({ ids: [A], options: { benchmarks: 'only', unordered: 'allowed' } }),
    ];
    expect(browser.sources.map(({ url }) => url.split('&').slice(1).join('&'))).toEqual([
      '',
      'allow_unordered=true',
      'benchmarks_only=true',
    ]);
    expect(pages[3]?.events).toMatchObject([{ name: 'refused', value: { kind: 'too-many' } }]);
  });

  it('that want very many feeds together take another stream for the rest', () => {
    const ids = Array.from({ length: 250 }, (_, index) => index.toString(16).padStart(64, '0'));
    const one = page({ ids });
    expect(browser.openSources).toBe(2);
    begin([update(ids[249] ?? '', 1)]);
    expect(one.prices('snapshot')).toEqual(['1']);
  });
});

describe('one stream taking over from another', () => {
  it('tells the feeds that are new at once, and closes the old one when it has come as far', () => {
    const one = page({ ids: [A] });
    begin([update(A, 1)], 1);
    const old = browser.source;
    const other = page({ ids: [B] });
    browser.pass(50);
    begin([update(A, 3), update(B, 3)], 3);
    expect(other.prices('snapshot')).toEqual(['3']);
    expect(browser.openSources).toBe(2);
    old.send('update', { feeds: [update(A, 2)] }, 'e.2');
    old.send('update', { feeds: [update(A, 3)] }, 'e.3');
    expect(browser.openSources).toBe(1);
    expect(one.prices('update')).toEqual(['2', '3']);
  });

  it('does not wait long for an old one that says nothing', () => {
    const one = page({ ids: [A] });
    begin([update(A, 1)], 1);
    page({ ids: [B] });
    browser.pass(50);
    begin([update(A, 3)], 3);
    browser.pass(1_500);
    expect(browser.openSources).toBe(1);
    expect(one.prices('update')).toEqual(['3']);
  });

  it('makes room when two at a time are refused', () => {
    page({ ids: [A] });
    begin([update(A, 1)], 1);
    page({ ids: [B] });
    browser.pass(50);
    browser.source.send('refused', { kind: 'too-many', detail: 'Enough.' });
    expect(browser.openSources).toBe(1);
    expect(browser.source.url).toContain(B);
  });

  it('loses and doubles nothing, however the two are interleaved', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(A, B), { minLength: 1, maxLength: 30 }),
        fc.nat(29),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (log, begunAt, turns) => {
          browser = new FakeBrowser();
          board = new FeedSwitchboard(browser.edges, LINGER_MS);
          const [one, other] = play(log, Math.min(begunAt, log.length), turns);
          const all = log.map((id, index) => ({ id, p: String(index + 1) }));
          expect(one).toEqual(all.filter(({ id }) => id === A).map(({ p }) => p));
          const later = all.slice(Math.min(begunAt, log.length)).filter(({ id }) => id === B);
          expect(other).toEqual(later.map(({ p }) => p));
        },
      ),
    );
  });
});

/**
 * A server's log of updates, told to a stream of A from its beginning and to one of A and B from `begunAt` on; `turns` says
 * which of the two speaks next. Gives what a page of A and one of B hear as updates.
 */
function play(log: readonly string[], begunAt: number, turns: readonly boolean[]): [string[], string[]] {
  const one = page({ ids: [A] });
  begin([], 0);
  const old = browser.source;
  const other = page({ ids: [B] });
  browser.pass(50);
  const next = browser.source;
  const event = (id: string, index: number) => ({ n: index + 1, id });
  const events = log.map(event);
  const latest = events.slice(0, begunAt).findLast(({ id }) => id === A);
  const snapshot = {
    feeds: latest === undefined ? [] : [update(A, latest.n)],
    missing: [],
    connection: live,
  };
  const say =
    (source: typeof old, { n, id }: { n: number; id: string }) =>
    () =>
      source.send('update', { feeds: [update(id, n)] }, `e.${n}`);
  const queues = {
    old: events.filter(({ id }) => id === A).map((one) => say(old, one)),
    next: [
      () => next.open(),
      () => next.send('snapshot', snapshot, `e.${begunAt}`),
      ...events.slice(begunAt).map((one) => say(next, one)),
    ],
  };
  for (const turn of turns) (turn ? queues.old : queues.next).shift()?.();
  for (const run of [...queues.old, ...queues.next]) run();
  browser.pass(2_000);
  return [one.prices('update'), other.prices('update')];
}
