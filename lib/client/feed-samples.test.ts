import { describe, expect, it } from 'vitest';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { FeedSamplesBook, type SamplesProgress, type SamplesWanted } from './feed-samples';
import { KnownSamples, mergedPoints, samplePoint } from './feed-samples-known';

const NOW_S = 1_800_000_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function update(t: number, more: Partial<CompactFeed> = {}): CompactFeed {
  return { id: 'a', p: String(t), c: '1', e: 0, t, r: t * 1000, pp: t - 1, f: 1, ...more };
}

const nothingLive: SamplesWanted['livePoints'] = () => [];

function wanted(more: Partial<SamplesWanted> & { spanS?: number } = {}): SamplesWanted {
  const { spanS = 60, ...rest } = more;
  const window = { fromMs: (NOW_S - spanS) * 1000, toMs: NOW_S * 1000, columns: 100, nowMs: NOW_S * 1000 };
  return { ids: ['a'], window, pace: 'still', livePoints: nothingLive, ...rest };
}

type Answer = (t: number) => object;

/** A book on a scripted server. `hold` keeps answers back until they are let go. */
function scripted(
  answer: Answer = (t) => ({ t, feeds: [update(t)] }),
  end: object | 'cut' = { complete: true },
) {
  const asked: number[][] = [];
  const timers: { run: () => void; ms: number }[] = [];
  const heard: SamplesProgress[] = [];
  let nowMs = NOW_S * 1000;
  const book = new FeedSamplesBook({
    fetchLines: async (path, { signal, onLines }): Promise<Outcome<'ended'>> => {
      const times = (new URL(path, 'http://page').searchParams.get('times') ?? '').split(',').map(Number);
      asked.push(times);
      await settled();
      if (signal.aborted) throw new Error('aborted');
      onLines(times.map((t) => JSON.stringify(answer(t))));
      if (end === 'cut') return failed({ kind: 'unreachable', detail: 'No connection.' });
      onLines([JSON.stringify(end)]);
      return ok('ended');
    },
    now: () => nowMs,
    setTimer: (run, ms) => timers.push({ run, ms }),
    clearTimer: () => {},
  });
  book.subscribe(() => heard.push(book.progress()));
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { book, asked, timers, heard, pass };
}

describe('the sampled past', () => {
  it('is asked for once, tells how far it is, and is complete then', async () => {
    const { book, asked, heard } = scripted();
    book.show(wanted());
    await settled();
    await settled();
    expect(asked).toHaveLength(1);
    expect(book.known('a').points().length).toBe(asked[0]?.length);
    expect(heard.at(0)).toMatchObject({ kind: 'loading', done: 0 });
    expect(book.progress()).toEqual({ kind: 'complete' });
    book.show(wanted());
    await settled();
    expect(asked).toHaveLength(1);
  });

  it('goes on with what it has when the window moves: only what is new is asked for', async () => {
    const { book, asked } = scripted();
    book.show(wanted());
    await settled();
    const { window } = wanted();
    book.show(wanted({ window: { ...window, fromMs: window.fromMs - 20_000, toMs: window.toMs - 20_000 } }));
    await settled();
    expect(asked[1]?.length).toBeLessThan(asked[0]?.length ?? 0);
    expect(asked[1]?.some((t) => asked[0]?.includes(t))).toBe(false);
  });

  it('calls off what is no longer looked at', async () => {
    const { book, asked } = scripted();
    book.show(wanted());
    book.show(wanted({ spanS: 3_600 }));
    await settled();
    await settled();
    expect(asked).toHaveLength(2);
    expect(book.known('a').points().length).toBe(asked[1]?.length);
  });

  it('does not ask for what the stream brought, nor for what it is about to bring', async () => {
    const { book, asked } = scripted();
    const live = Array.from({ length: 30 }, (_, at) => samplePoint(update(NOW_S - 30 + at)));
    book.show(wanted({ pace: 'live', livePoints: () => live }));
    await settled();
    expect(Math.max(...(asked[0] ?? []))).toBeLessThan(NOW_S - 30);
    const other = scripted();
    other.book.show(wanted({ pace: 'live' }));
    await settled();
    expect(Math.max(...(other.asked[0] ?? []))).toBeLessThanOrEqual(NOW_S - 10);
  });

  it('asks for less as soon as our server’s memory has come', async () => {
    const { book, asked } = scripted();
    book.show(wanted({ spanS: 3_600 }));
    const live = [samplePoint(update(NOW_S - 600))];
    book.show(wanted({ spanS: 3_600, livePoints: () => live }));
    await settled();
    expect(Math.max(...(asked[1] ?? []))).toBeLessThan(NOW_S - 600);
  });

  it('asks in several questions when a window has more moments than one may name', async () => {
    const { book, asked } = scripted((t) => ({ t, feeds: [update(t)] }));
    const { window } = wanted({ spanS: 200 });
    book.show(wanted({ window: { ...window, columns: 4_000 } }));
    for (let turn = 0; turn < 6; turn += 1) await settled();
    expect(asked.map((times) => times.length)).toEqual([120, 81]);
  });

  it('keeps what came before a failure, says when it goes on, and goes on then', async () => {
    const { book, timers } = scripted((t) => ({ t, feeds: [update(t)] }), {
      complete: false,
      problem: { kind: 'rate-limited', detail: 'Slow down.', retryAfterS: 7 },
    });
    book.show(wanted());
    await settled();
    await settled();
    expect(book.progress()).toMatchObject({
      kind: 'failed',
      failure: { kind: 'rate-limited' },
      retryAtMs: NOW_S * 1000 + 7_000,
    });
    expect(book.known('a').points().length).toBeGreaterThan(10);
    expect(timers.at(-1)?.ms).toBe(7_000);
    timers.at(-1)?.run();
    expect(book.progress()).toEqual({ kind: 'complete' });
  });

  it('does not ask again at once for a moment that could not be had', async () => {
    const { book, asked, pass } = scripted((t) => ({ t, problem: { kind: 'failing', detail: 'No.' } }));
    book.show(wanted());
    await settled();
    await settled();
    book.show(wanted());
    expect(asked).toHaveLength(1);
    pass(31_000);
    book.show(wanted());
    expect(asked).toHaveLength(2);
  });

  it('asks for nothing more of a feed that has published nothing since', async () => {
    const { book, asked } = scripted((t) => ({ t, feeds: [] }));
    book.show(wanted({ pace: 'live' }));
    await settled();
    await settled();
    const { window } = wanted();
    const later = {
      ...window,
      fromMs: window.fromMs + 30_000,
      toMs: window.toMs + 30_000,
      nowMs: window.nowMs + 30_000,
    };
    book.show(wanted({ pace: 'live', window: later }));
    await settled();
    expect(asked).toHaveLength(1);
  });
});

describe('what is known of a feed', () => {
  it('holds an update once, however many moments lead to it, and knows the moments in between', () => {
    const known = new KnownSamples();
    const late = update(2_000, { pp: 500 });
    for (const t of [1_000, 1_500]) known.note(t, late);
    expect(known.points()).toHaveLength(1);
    expect([600, 1_999, 500, 2_001].map((t) => known.answers(t))).toEqual([true, true, false, false]);
    expect(known.silences(60)).toEqual([{ fromS: 500, untilS: 2_000 }]);
  });

  it('learns where the past of the service begins', () => {
    const known = new KnownSamples();
    known.note(900, update(900));
    known.note(300, undefined);
    expect([200, 300, 301].map((t) => known.answers(t))).toEqual([true, true, false]);
  });
});

describe('points of stream and samples together', () => {
  it('are in time order, and a second that the stream has is not there twice', () => {
    const live = [update(100, { f: undefined }), update(101, { f: undefined })].map((one) => ({
      ...samplePoint(one),
      atMs: one.t * 1000 + 300,
    }));
    const samples = [60, 80, 100].map((t) => samplePoint(update(t)));
    expect(mergedPoints(live, samples).map(({ atMs }) => atMs)).toEqual([60_000, 80_000, 100_300, 101_300]);
    expect(mergedPoints(live, [])).toBe(live);
  });
});
