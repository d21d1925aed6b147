import { describe, expect, it } from 'vitest';
import { defaultRequestsView } from '@/lib/contract/codec/requests-url';
import type { Failure } from '@/lib/domain/outcome';
import { answerAfter, loadRequests, pageCount, pinMoment, type RequestsAnswer, viewKeyOf } from './requests';

const view = defaultRequestsView();
const viewKey = viewKeyOf(view);
const other = { ...view, states: ['pending'] };
const rowAt = (createdAt: string) =>
  `{"network_id":"8453","sequence":18446744073709551615,"created_at":"${createdAt}","state":{"state":"pending"}}`;
const goodText = (atMs: number, rows = rowAt('2026-11-20T08:00:00Z')) => ({
  viewKey,
  text: { ok: true as const, value: `{"requests":[${rows}],"total_results":1}` },
  atMs,
});
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
  it('does not ask for what can not be searched for', async () => {
    const loaded = await loadRequests({ ...view, q: 'hello' }, 1, () => Promise.reject(new Error('asked')));
    expect(loaded.text.ok).toBe(false);
  });

  it('asks for the view as it was at that moment', async () => {
    const asked: string[] = [];
    await loadRequests({ ...view, q: ' 0X77' }, Date.UTC(2026, 10, 20), async (query) => {
      asked.push(query.toString());
      return { ok: true, value: '' };
    });
    const query = new URLSearchParams(asked[0]);
    expect(query.get('query')).toBe('119');
    expect(query.get('min_timestamp')).toBe('2026-11-19T00:00:00.000Z');
  });
});

describe('pinMoment', () => {
  it('is the moment of asking when that is later than the newest row', () => {
    const page = answerAfter(view, goodText(Date.UTC(2026, 10, 20, 9)), undefined, 0).page;
    expect(page && pinMoment(page)).toBe(Date.UTC(2026, 10, 20, 9));
  });

  it('is the newest row when the clock of the service is ahead', () => {
    const page = answerAfter(view, goodText(Date.UTC(2026, 10, 20, 7)), undefined, 0).page;
    expect(page && pinMoment(page)).toBe(Date.UTC(2026, 10, 20, 8));
  });

  it('leaves out a row with a date far ahead, which no clock can explain', () => {
    const rows = `${rowAt('9999-12-31T00:00:00Z')},${rowAt('2026-11-20T08:00:00Z')}`;
    const page = answerAfter(view, goodText(Date.UTC(2026, 10, 20, 7), rows), undefined, 0).page;
    expect(page && pinMoment(page)).toBe(Date.UTC(2026, 10, 20, 8));
  });
});

describe('pageCount', () => {
  it('is at least one, and exact beyond 2^53', () => {
    expect(pageCount('0', 50)).toBe(1n);
    expect(pageCount('51', 50)).toBe(2n);
    expect(pageCount('18446744073709551615', 25)).toBe(737869762948382065n);
  });

  it('is unknown without a total', () => {
    expect(pageCount(undefined, 50)).toBeUndefined();
  });
});
