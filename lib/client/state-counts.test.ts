import { describe, expect, it } from 'vitest';
import { type Failure, failed, ok } from '@/lib/domain/outcome';
import { countStates, keptCounts, sharesOf, shownCount, totalOf } from './state-counts';

const NOW = Date.UTC(2026, 10, 20, 12);
const totals: Record<string, string> = { Pending: '3', Completed: '90', CallbackErrored: '5', Failed: '2' };
const answerTo = async (query: URLSearchParams) =>
  ok(`{"requests":[],"total_results":${totals[query.get('state') ?? '']}}`);

describe('countStates', () => {
  it('asks for one row per keeper and state of the last hour', async () => {
    const asked: string[] = [];
    await countStates(['main', 'test'], NOW, (query) => {
      asked.push(query.toString());
      return answerTo(query);
    });
    expect(asked).toHaveLength(8);
    expect(new URLSearchParams(asked[0]).get('limit')).toBe('1');
    expect(new URLSearchParams(asked[0]).get('min_timestamp')).toBe('2026-11-20T11:00:00.000Z');
    expect(new Set(asked.map((query) => new URLSearchParams(query).get('keeper')))).toEqual(
      new Set(['main', 'test']),
    );
  });

  it('keeps the other counts when one fails', async () => {
    const failure: Failure = { kind: 'timeout', service: 'logs', detail: 'slow' };
    const answer = await countStates(['main'], NOW, async (query) =>
      query.get('state') === 'Failed' ? failed(failure) : answerTo(query),
    );
    expect(answer.keepers[0]?.counts.failed).toEqual({ ok: false, failure });
    expect(answer.keepers[0]?.counts.pending).toEqual({ ok: true, value: '3' });
  });
});

describe('keptCounts', () => {
  const failure: Failure = { kind: 'failing', service: 'logs', detail: 'broken' };

  it('keeps the last good counts, and from when they are, through any number of failures', async () => {
    const good = await countStates(['main'], NOW, answerTo);
    const bad = await countStates(['main'], NOW + 30_000, async () => failed(failure));
    const still = keptCounts(bad, keptCounts(bad, good));
    expect(still.keepers[0] && shownCount(still.keepers[0], 'completed')).toBe('90');
    expect(still.keepers[0]?.lastGood?.atMs).toBe(NOW);
  });

  it('knows of no count where there never was one', async () => {
    const bad = keptCounts(await countStates(['main'], NOW, async () => failed(failure)), undefined);
    expect(bad.keepers[0] && shownCount(bad.keepers[0], 'completed')).toBeUndefined();
  });
});

describe('totalOf', () => {
  it('keeps every digit', () => {
    expect(totalOf(ok('{"requests":[],"total_results":18446744073709551615}'))).toEqual(
      ok('18446744073709551615'),
    );
  });

  it('does not take a missing total for zero', () => {
    expect(totalOf(ok('{"requests":[]}')).ok).toBe(false);
  });
});

describe('sharesOf', () => {
  it('gives shares of the whole, and none when there is nothing to share', async () => {
    const { keepers } = await countStates(['main'], NOW, answerTo);
    expect(keepers[0] && sharesOf(keepers[0])).toEqual({
      pending: 3,
      completed: 90,
      'callback-failed': 5,
      failed: 2,
    });
    const zero = await countStates(['main'], NOW, async () => ok('{"requests":[],"total_results":0}'));
    expect(zero.keepers[0] && sharesOf(zero.keepers[0])).toBeUndefined();
  });
});
