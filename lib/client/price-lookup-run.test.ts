import { describe, expect, it } from 'vitest';
import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { unixMicros } from '@/lib/domain/units';
import { cellKey, type LookupAsk, type LookupRequest } from './price-lookup';
import { answerOf, askAbout, askedIds, heldWorld, numberedFeed, refusal } from './price-lookup-fakes';
import { LookupRun } from './price-lookup-run';

const ALL: readonly LookupSource[] = ['updates', 'upgraded', 'deprecated', 'router'];
const NOON = unixMicros(1_795_176_000_000_000n);

function begin(ask: LookupAsk) {
  const world = heldWorld();
  const run = new LookupRun(ask, world.edges);
  run.start();
  const cell = (n: number, source: LookupSource) =>
    run.current().cells.get(cellKey(ask.feeds[n - 1] ?? numberedFeed(n), source));
  return { ...world, run, cell };
}

const isHost = (request: LookupRequest, name: string) => request.path.startsWith(`/api/${name}/`);

describe('a lookup', () => {
  it('of 100 feeds makes one call per host and one of the router', async () => {
    const { run, made, answerAll, cell } = begin(askAbout(100));
    await answerAll();
    expect(made.map(({ path }) => path)).toEqual([
      '/api/updates/v2/updates/price/latest',
      '/api/upgraded/v2/updates/price/latest',
      '/api/router/v1/latest_price',
    ]);
    expect(made.every((request) => askedIds(request).length === 100)).toBe(true);
    expect(run.current()).toMatchObject({ phase: 'ended', calls: { made: 3, planned: 3 } });
    expect(cell(100, 'router')).toMatchObject({ quote: { price: { mantissa: 10_000n, expo: -2 } } });
  });

  it('asks the deprecated route last with now, for the second that the others tell', async () => {
    const { run, made, answerAll, cell } = begin(askAbout(2, { options: { sources: ALL } }));
    await answerAll();
    const deprecated = made.slice(3);
    expect(deprecated.map((request) => (request.method === 'GET' ? request.query : ''))).toEqual(
      [1, 2].map((n) => `id=${numberedFeed(n).feedId}&publish_time=1795176000&verbose=true&binary=true`),
    );
    expect(cell(2, 'deprecated')).toMatchObject({ kind: 'quote' });
    expect(run.current().calls).toEqual({ made: 5, planned: 5 });
  });

  it('says so where nobody tells that second', async () => {
    const { answerAll, cell } = begin(askAbout(1, { options: { sources: ['deprecated', 'router'] } }));
    await answerAll();
    expect(cell(1, 'deprecated')).toEqual({ kind: 'not-asked', why: 'no-second' });
    expect(cell(1, 'router')).toMatchObject({ kind: 'quote' });
  });

  it('keeps the columns that are there when one fails', async () => {
    const { answerAll, cell } = begin(askAbout(2));
    await answerAll((request) => (isHost(request, 'upgraded') ? refusal('failing') : answerOf(request)));
    expect(cell(1, 'upgraded')).toMatchObject({ kind: 'failed', failure: { kind: 'failing' } });
    expect(cell(1, 'updates')).toMatchObject({ kind: 'quote' });
  });

  it('can be cancelled, and keeps what is there', async () => {
    const { run, answerNext, made, cell } = begin(askAbout(1, { at: NOON }));
    await answerNext();
    run.cancel();
    await answerNext();
    expect(run.current()).toMatchObject({ phase: 'cancelled', calls: { made: 1 } });
    expect(cell(1, 'updates')).toMatchObject({ kind: 'quote' });
    expect(made).toHaveLength(3);
  });
});

describe('a call that is refused for one of its feeds', () => {
  const notFound = (bad: readonly number[]) => (request: LookupRequest) => {
    const ids = askedIds(request).map((id) => Number.parseInt(id, isHost(request, 'router') ? 10 : 16));
    const missing = ids.filter((id) => bad.includes(id));
    return missing.length === 0 ? answerOf(request) : refusal('missing', 'Update data not found');
  };

  it('is asked again in halves until the others are there', async () => {
    const { answerAll, cell, made } = begin(askAbout(64, { options: { sources: ['updates'] } }));
    await answerAll(notFound([17]));
    for (let n = 1; n <= 64; n += 1) expect(cell(n, 'updates')?.kind).toBe(n === 17 ? 'failed' : 'quote');
    expect(cell(17, 'updates')).toEqual({
      kind: 'failed',
      failure: expect.objectContaining({ kind: 'missing' }),
    });
    expect(made).toHaveLength(13);
  });

  it('is asked again without the feeds that the refusal names', async () => {
    const { answerAll, cell, made } = begin(askAbout(50, { options: { sources: ['router'] } }));
    await answerAll((request) => {
      const bad = askedIds(request).filter((id) => id === '7' || id === '40');
      return bad.length === 0
        ? answerOf(request)
        : refusal('rejected', `price feed ${bad[0]} (X) is not stable`);
    });
    expect([7, 8, 40].map((n) => cell(n, 'router')?.kind)).toEqual(['failed', 'quote', 'failed']);
    expect(made).toHaveLength(5);
  });

  it('is not asked again for ever', async () => {
    const { answerAll, cell, made } = begin(askAbout(100, { options: { sources: ['updates'] } }));
    await answerAll(() => refusal('missing', 'Update data not found'));
    expect(made.length).toBeLessThan(16);
    expect(cell(1, 'updates')?.kind).toBe('failed');
    expect(cell(100, 'updates')).toMatchObject({ kind: 'failed', together: expect.any(Number) });
  });
});

describe('a service that has had enough', () => {
  const limited = refusal('rate-limited', 'limits our calls', { retryAfterS: 7 });

  it('is asked again when it allows it, not before; the others go on', async () => {
    const { run, answerAll, answerNext, made, pass, cell } = begin(askAbout(1));
    await answerNext(() => limited);
    await answerAll();
    expect(run.current()).toMatchObject({ phase: 'running', pauses: { updates: 1_795_176_008_000 } });
    expect(cell(1, 'router')).toMatchObject({ kind: 'quote' });
    await pass(6_900);
    expect(made).toHaveLength(3);
    await pass(100);
    expect(made).toHaveLength(4);
    await answerAll();
    expect(run.current().phase).toBe('ended');
    expect(cell(1, 'updates')).toMatchObject({ kind: 'quote' });
  });

  it('is not waited for when that takes too long, or again and again', async () => {
    const long = begin(askAbout(1, { options: { sources: ['updates'] } }));
    await long.answerAll(() => refusal('rate-limited', 'wait', { retryAfterS: 3600 }));
    expect(long.cell(1, 'updates')).toMatchObject({ kind: 'failed', failure: { retryAfterS: 3600 } });
    const often = begin(askAbout(1, { options: { sources: ['updates'] } }));
    for (let turn = 0; turn < 10; turn += 1) {
      await often.answerAll(() => limited);
      await often.pass(7_000);
    }
    expect(often.made).toHaveLength(4);
    expect(often.run.current().phase).toBe('ended');
  });

  it('is left in peace after a refused key, and after three failures in a row', async () => {
    const options = { sources: ['deprecated'] as const };
    const key = begin(askAbout(20, { at: NOON, options }));
    await key.answerAll(() => refusal('unauthorized'));
    expect(key.made.length).toBeLessThanOrEqual(2);
    expect(key.cell(20, 'deprecated')).toMatchObject({ failure: { kind: 'unauthorized' } });
    const down = begin(askAbout(20, { at: NOON, options }));
    await down.answerAll(() => refusal('unreachable'));
    expect(down.made.length).toBeLessThanOrEqual(4);
    expect(down.run.current().phase).toBe('ended');
  });
});
