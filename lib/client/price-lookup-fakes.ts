import type { LookupOptions } from '@/lib/contract/codec/prices-url';
import { USUAL_PRICES } from '@/lib/contract/codec/prices-url';
import type { FeedId } from '@/lib/domain/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { LookupAsk, LookupFeed, LookupRequest } from './price-lookup';
import type { LookupEdges } from './price-lookup-state';

/** The n-th feed of a test: `Feed.1`, its id ending in 1, router id 1. */
export function numberedFeed(n: number, change: Partial<LookupFeed> = {}): LookupFeed {
  const feedId = n.toString(16).padStart(64, '0') as FeedId;
  return { key: feedId, symbol: `Feed.${n}`, feedId, routerId: String(n), exponent: -2, ...change };
}

/** A question about feeds 1 to `count`. */
export function askAbout(
  count: number,
  change: Partial<Omit<LookupAsk, 'options'>> & { options?: Partial<LookupOptions> } = {},
): LookupAsk {
  const { feeds: _feeds, mode: _mode, ...usual } = USUAL_PRICES;
  const feeds = Array.from({ length: count }, (_, at) => numberedFeed(at + 1));
  return { feeds, directory: 'known', ...change, options: { ...usual, ...change.options } };
}

/** The ids that a call asks for, whatever its route. */
export function askedIds(request: LookupRequest): string[] {
  if (request.method === 'POST') return (JSON.parse(request.body).priceFeedIds as number[]).map(String);
  const query = new URLSearchParams(request.query);
  return [...query.getAll('ids[]'), ...query.getAll('id')];
}

/** Unix seconds. */
const PUBLISHED = 1_795_176_000;

const price = (digits: string) => ({
  price: digits,
  conf: '50',
  expo: -2,
  publish_time: PUBLISHED,
});

/** What a service of tests answers: each feed at its number times 100. */
export function answerOf(request: LookupRequest): Outcome<string> {
  const ids = askedIds(request);
  if (request.path.includes('/router/')) {
    const priceFeeds = ids.map((id) => ({
      priceFeedId: Number(id),
      price: `${Number(id) * 100}`,
      confidence: 50,
    }));
    return ok(JSON.stringify({ parsed: { timestampUs: `${PUBLISHED}000000`, priceFeeds } }));
  }
  const updates = ids.map((id) => {
    const figures = price(String(Number.parseInt(id, 16) * 100));
    return { id, price: figures, ema_price: figures, metadata: { slot: 7 } };
  });
  if (request.path.endsWith('get_price_feed')) return ok(JSON.stringify({ ...updates[0], vaa: 'AAAA' }));
  return ok(JSON.stringify({ binary: { encoding: 'hex', data: ['00'] }, parsed: updates }));
}

/** A failure of a service of tests. */
export function refusal(
  kind: Failure['kind'],
  detail: string = kind,
  more: Partial<Failure> = {},
): Outcome<never> {
  return failed({ kind, detail, service: 'updates', ...more });
}

type Made = { readonly request: LookupRequest; readonly answer: (outcome: Outcome<string>) => void };

/** A world whose calls wait until the test answers them, and whose clock stands until the test moves it. */
export function heldWorld() {
  const open: Made[] = [];
  const made: LookupRequest[] = [];
  const alarms: { at: number; run: () => void }[] = [];
  let nowMs = 1_795_176_001_000;
  let most = 0;
  const edges: LookupEdges = {
    ask: (request, signal) =>
      new Promise((resolve, reject) => {
        made.push(request);
        const abort = () => reject(new Error('aborted'));
        const answer = (outcome: Outcome<string>) => {
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        };
        open.push({ request, answer });
        most = Math.max(most, open.length);
        signal.addEventListener('abort', abort);
      }),
    now: () => nowMs,
    after(ms, run) {
      const alarm = { at: nowMs + ms, run };
      alarms.push(alarm);
      return () => alarms.splice(alarms.indexOf(alarm) >>> 0, 1);
    },
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Answers the oldest open call. */
  const answerNext = async (how: (request: LookupRequest) => Outcome<string> = answerOf) => {
    const one = open.shift();
    one?.answer(how(one.request));
    await settle();
  };
  return {
    edges,
    made,
    open,
    most: () => most,
    answerNext,
    /** Answers calls until none is open. */
    async answerAll(how: (request: LookupRequest) => Outcome<string> = answerOf) {
      for (let turn = 0; open.length > 0 && turn < 5_000; turn += 1) await answerNext(how);
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const alarm of alarms.splice(0)) {
        if (alarm.at <= nowMs) alarm.run();
        else alarms.push(alarm);
      }
      await settle();
    },
  };
}
