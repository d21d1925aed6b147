import { describe, expect, it } from 'vitest';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import type { LogsQuery } from './call-queue';
import { PageWalk } from './page-walk';

type Service = {
  moments: number[];
  maxRows?: number;
  total?: (count: number) => number;
  ignoresOffset?: boolean;
};

/** Reads a listing of rows at these moments (milliseconds) to its end. */
function walked(service: Service, limit = 10): { keys: Set<string>; calls: number; walk: PageWalk } {
  const walk = new PageWalk({});
  const keys = new Set<string>();
  let calls = 0;
  for (; !walk.isOver && !walk.isStuck && calls < 500; calls += 1) {
    const { texts, total } = listed(service, walk.listing, limit);
    for (const row of walk.add({
      ...readRows(texts),
      total,
      limit,
      requestedAtMs: 0,
      answeredAtMs: 1,
      tookMs: 1,
    }).fresh)
      keys.add(row.key);
  }
  return { keys: keys, calls, walk };
}

function readRows(texts: string[]) {
  return { rows: readPage(texts).rows };
}

function listed(service: Service, { toUs = Number.POSITIVE_INFINITY, offset = 0 }: LogsQuery, limit: number) {
  const { moments, maxRows = limit, total = (count) => count, ignoresOffset } = service;
  const rows = moments
    .map((ms, sequence) => ({ ms, sequence }))
    .filter(({ ms }) => ms * 1000 <= toUs)
    .toSorted((a, b) => b.ms - a.ms);
  const start = ignoresOffset ? 0 : offset;
  const page = rows.slice(start, start + Math.min(limit, maxRows));
  const texts = page.map(({ ms, sequence }) =>
    rowText({ created_at: JSON.stringify(new Date(ms).toISOString()), sequence: String(sequence) }),
  );
  return { texts, total: total(rows.length) };
}

const BASE_MS = Date.UTC(2026, 10, 20);
const spread = (count: number, step: number) => Array.from({ length: count }, (_, n) => BASE_MS + n * step);

describe('a walk through a listing', () => {
  it.each([
    ['rows at moments of their own', { moments: spread(95, 7) }],
    ['many rows in one moment', { moments: [...spread(20, 5), ...spread(45, 0), ...spread(3, 900)] }],
    [
      'a service that sends less than requested',
      { moments: [...spread(30, 5), ...spread(25, 0)], maxRows: 4 },
    ],
    ['a count that is too low', { moments: spread(55, 3), total: () => 0 }],
    ['a count that is too high', { moments: spread(55, 3), total: (count: number) => count + 10_000 }],
    ['no row', { moments: [] }],
  ])('finds every row: %s', (_, service) => {
    const { keys, walk } = walked(service);
    expect(keys.size).toBe(service.moments.length);
    expect(walk.isOver).toBe(true);
  });

  it('gives up on a service that repeats itself', () => {
    const { walk, calls } = walked({ moments: spread(40, 0), ignoresOffset: true });
    expect(walk).toMatchObject({ isOver: false, isStuck: true });
    expect(calls).toBeLessThan(30);
  });
});
