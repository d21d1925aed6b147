import { describe, expect, it } from 'vitest';
import type { Failure } from '@/lib/core/outcome';
import { answerAfter, datedAhead, loadRequests, pageCount, type RequestsAnswer, viewKeyOf } from './load';
import { defaultRequestsView } from './view';

const view = defaultRequestsView();
const viewKey = viewKeyOf(view);
const other = { ...view, states: ['pending'] };
const rowAt = (createdAt: string) =>
  `{"network_id":"8453","sequence":18446744073709551615,"created_at":"${createdAt}","state":{"state":"pending"}}`;
const goodText = (atMs: number, rows = [rowAt('2026-11-20T08:00:00Z')]) => {
  const listed = rows.map((row) => ({ keeper: 'main', row }));
  const rest = { total: '1', asof: '2026-11-20T09:00:00.000Z', clocks: [], revision: 1, index: [] };
  return { viewKey, text: { ok: true as const, value: JSON.stringify({ rows: listed, ...rest }) }, atMs };
};
const badText = (atMs: number, failure: Failure, key = viewKey) => ({
  viewKey: key,
  text: { ok: false as const, failure },
  atMs,
});
const failing: Failure = { kind: 'failing', service: 'logs', detail: 'down' };
const rejected: Failure = { kind: 'rejected', service: 'logs', detail: 'no such chain' };

function loaded(): RequestsAnswer {
  return answerAfter(view, goodText(1000), undefined, 0);
}

describe('answerAfter', () => {
  it('keeps every digit of the rows', () => {
    const row = loaded().page?.rows[0];
    expect(row?.kind === 'record' ? row.sequence : undefined).toBe('18446744073709551615');
  });

  it('keeps the last good rows beside a failure', () => {
    const answer = answerAfter(view, badText(2000, failing), loaded(), 0);
    expect(answer.page?.atMs).toBe(1000);
    expect(answer.trouble).toEqual({ failure: failing, atMs: 2000, attempts: 1, retryAtMs: 7000 });
  });

  it('counts failures in a row, and forgets them when it works again', () => {
    const once = answerAfter(view, badText(2000, failing), loaded(), 0);
    const twice = answerAfter(view, badText(7000, failing), once, 0);
    expect(twice.trouble?.attempts).toBe(2);
    expect(answerAfter(view, goodText(9000), twice, 0).trouble).toBeUndefined();
  });

  it('does not show the rows of another filter under one that the service refuses', () => {
    const answer = answerAfter(other, badText(2000, rejected, viewKeyOf(other)), loaded(), 0);
    expect(answer.page).toBeUndefined();
    expect(answer.trouble?.retryAtMs).toBeUndefined();
  });

  it('keeps the rows of another filter, by their own name, while the service is down', () => {
    const answer = answerAfter(other, badText(2000, failing, viewKeyOf(other)), loaded(), 0);
    expect(answer.page?.viewKey).toBe(viewKey);
  });

  it('takes an answer without rows and without an envelope for a fault of format, not for no results', () => {
    const empty = { viewKey, text: { ok: true as const, value: '[]' }, atMs: 1 };
    expect(answerAfter(view, empty, undefined, 0).trouble?.failure.kind).toBe('malformed');
  });
});

describe('loadRequests', () => {
  it('asks for what decides the rows, and for nothing of how they are shown', async () => {
    const asked: string[] = [];
    const shown = { ...view, q: '0x77', open: 'a', live: 2, sort: 'gas-limit.asc' as const, page: 2 };
    await loadRequests(
      shown,
      1,
      async (path) => {
        asked.push(path);
        return { ok: true, value: '' };
      },
      'there',
    );
    expect(asked).toEqual(['/api/view/requests?q=0x77&page=2&sort=gas-limit.asc&cursor=there']);
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
  const page = answerAfter(view, goodText(atMs, rows), undefined, 0).page;
  if (page === undefined) throw new Error('There is no page.');
  expect(datedAhead({ ...page, clocks: [] })).toEqual({ rows: 2, byMs: 10_800_000 });
  const clocks = [{ keeper: 'main', offByMs: 3_600_000 }];
  expect(datedAhead({ ...page, clocks })).toEqual({ rows: 1, byMs: 10_800_000 });
});

describe('pageCount', () => {
  it('is at least one, and exact beyond 2^53', () => {
    expect(pageCount('0', 50)).toBe(1n);
    expect(pageCount('51', 50)).toBe(2n);
    expect(pageCount('18446744073709551615', 25)).toBe(737869762948382065n);
  });
});
