import { describe, expect, it } from 'vitest';
import { datedAhead, loadRequests, pageCount, pageOf, viewKeyOf } from './load';
import { defaultRequestsView } from './view';

const view = defaultRequestsView();
const viewKey = viewKeyOf(view);
const rowAt = (createdAt: string) =>
  `{"network_id":"8453","sequence":18446744073709551615,"created_at":"${createdAt}","state":{"state":"pending"}}`;
const goodText = (atMs: number, rows = [rowAt('2026-11-20T08:00:00Z')]) => {
  const listed = rows.map((row) => ({ keeper: 'main', row }));
  const rest = { total: '1', asof: '2026-11-20T09:00:00.000Z', clocks: [], revision: 1, index: [] };
  return { viewKey, text: { ok: true as const, value: JSON.stringify({ rows: listed, ...rest }) }, atMs };
};

describe('pageOf', () => {
  it('keeps every digit of the rows', () => {
    expect(pageOf(view, goodText(1000))).toMatchObject({
      value: { viewKey, rows: [{ sequence: '18446744073709551615' }] },
    });
  });

  it('treats an answer without rows and without an envelope as malformed, not as empty', () => {
    const empty = { viewKey, text: { ok: true as const, value: '[]' }, atMs: 1 };
    expect(pageOf(view, empty)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

describe('loadRequests', () => {
  it('leaves out a cursor that does not fit beside a long view', async () => {
    const failures = Array.from({ length: 37 }, (_, index) => `${index}${'失'.repeat(90)}`);
    const paths: string[] = [];
    const load = (cursor: string) =>
      loadRequests(
        { ...view, failures, page: 2 },
        1,
        async (path) => {
          paths.push(path);
          return { ok: true, value: '' };
        },
        cursor,
      );
    await load('c'.repeat(300));
    await load('c'.repeat(3000));
    expect(paths.map((path) => [path.length < 32_000, path.includes('cursor=')])).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('sends the parameters that decide the rows, and none that only concern their display', async () => {
    const paths: string[] = [];
    const shown = { ...view, q: '0x77', open: 'a', live: 2, sort: 'gas-limit.asc' as const, page: 2 };
    await loadRequests(
      shown,
      1,
      async (path) => {
        paths.push(path);
        return { ok: true, value: '' };
      },
      'there',
    );
    expect(paths).toEqual(['/api/view/requests?q=0x77&page=2&sort=gas-limit.asc&cursor=there']);
  });
});

describe('viewKeyOf', () => {
  it('keeps the order, and leaves out what is open', () => {
    expect(viewKeyOf({ ...view, sort: 'created.asc' })).toBe('/requests?sort=created.asc');
    expect(viewKeyOf({ ...view, sort: 'sender.asc', open: 'a' })).toBe('/requests?sort=sender.asc');
  });
});

it('datedAhead counts rows that lie ahead of the clock of their service', () => {
  const atMs = Date.UTC(2026, 10, 20, 7);
  const rows = ['2026-11-20T10:00:00Z', '2026-11-20T07:30:00Z', '2026-11-20T06:59:00Z'].map(rowAt);
  const page = pageOf(view, goodText(atMs, rows));
  if (!page.ok) throw new Error('There is no page.');
  expect(datedAhead({ ...page.value, clocks: [] })).toEqual({ rows: 2, byMs: 10_800_000 });
  const clocks = [{ keeper: 'main', offByMs: 3_600_000 }];
  expect(datedAhead({ ...page.value, clocks })).toEqual({ rows: 1, byMs: 10_800_000 });
});

describe('pageCount', () => {
  it('is at least one, and exact beyond 2^53', () => {
    expect(pageCount('0', 50)).toBe(1n);
    expect(pageCount('51', 50)).toBe(2n);
    expect(pageCount('18446744073709551615', 25)).toBe(737869762948382065n);
  });
});
