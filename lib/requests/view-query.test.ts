import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyView } from './any-view';
import { defaultRequestsView, logsQueryOf, parseRequestsUrl, viewNowMs, withFilter, withPage } from './view';
import { rangeMs } from './view-params';
import type { RequestsView } from './view-shape';

const NOW = Date.UTC(2026, 10, 20, 8, 5, 3, 120);
const HASH = `0x${'ab'.repeat(32)}`;

const parse = (query: string) => parseRequestsUrl(new URLSearchParams(query));
const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });
const sent = (query: string, nowMs = NOW) => Object.fromEntries(logsQueryOf(parse(query).view, nowMs));
describe('rangeMs', () => {
  it('counts seconds, minutes, hours and days', () => {
    expect(['30s', '45m', '1h', '2d'].map(rangeMs)).toEqual([30_000, 2_700_000, 3_600_000, 172_800_000]);
    expect(['', 'all', '0s', '36501d', 'h', '1 h'].map(rangeMs)).toEqual(Array(6).fill(undefined));
  });
});

describe('logsQueryOf', () => {
  it('asks for the last 24 hours from the whole second, and leaves the end open', () => {
    expect(sent('')).toEqual({ min_timestamp: '2026-11-19T08:05:03.000Z', limit: '50', offset: '0' });
  });

  it('asks for everything with range=all', () => {
    expect(sent('range=all&size=1000&page=3')).toEqual({ limit: '1000', offset: '2000' });
  });

  it('speaks the words of the service', () => {
    expect(
      sent(`network=42161&state=callback-failed&keeper=test&q=%20${HASH.toUpperCase()}&range=all`),
    ).toEqual({
      network_id: '42161',
      state: 'CallbackErrored',
      query: HASH,
      limit: '50',
      offset: '0',
      keeper: 'test',
    });
  });

  it('passes on what it has no word for', () => {
    expect(sent('state=Revealing&q=hello&range=all')).toMatchObject({ state: 'Revealing', query: 'hello' });
  });

  it('keeps every digit of a sequence number', () => {
    expect(sent('q=18446744073709551615').query).toBe('18446744073709551615');
  });

  it('asks for the first network, state and keeper of several', () => {
    expect(sent('network=1&network=10&state=failed&state=pending&keeper=a&keeper=b')).toMatchObject({
      network_id: '1',
      state: 'Failed',
      keeper: 'a',
    });
  });

  it('sends from and to as UTC with every digit', () => {
    expect(sent('from=2026-11-20T08:00&to=2026-11-20T10:00:00.123456789%2B02:00')).toMatchObject({
      min_timestamp: '2026-11-20T08:00:00Z',
      max_timestamp: '2026-11-20T08:00:00.123456789Z',
    });
  });

  it('counts ranges from asof and lets nothing later in, whatever the clock says', () => {
    const pinned = { min_timestamp: '2026-11-01T11:00:00.000Z', max_timestamp: '2026-11-01T12:00:00Z' };
    expect(sent('range=1h&asof=2026-11-01T12:00:00Z')).toMatchObject(pinned);
    expect(sent('range=1h&asof=2026-11-01T12:00:00Z', NOW + 86_400_000)).toMatchObject(pinned);
    expect(sent('range=all&asof=2026-11-01T12:00:00Z').max_timestamp).toBe('2026-11-01T12:00:00Z');
  });

  it('takes the earlier of asof and to', () => {
    expect(sent('to=2026-11-01&asof=2026-11-02').max_timestamp).toBe('2026-11-01T00:00:00Z');
    expect(sent('to=2026-11-03&asof=2026-11-02').max_timestamp).toBe('2026-11-02T00:00:00Z');
    expect(sent('from=2026-11-01&asof=2026-11-02').max_timestamp).toBe('2026-11-02T00:00:00Z');
  });

  it('asks for whole numbers within the bounds of the service, for any view', () => {
    fc.assert(
      fc.property(anyView, (any) => {
        const query = logsQueryOf(any, NOW);
        expect(Number(query.get('limit'))).toBeLessThanOrEqual(1000);
        expect(query.get('offset')).toBe(((BigInt(any.page) - 1n) * BigInt(any.size)).toString());
        expect(query.get('offset')).toMatch(/^\d+$/);
      }),
    );
  });
});

describe('moving about', () => {
  const deep = view({ networks: ['1'], page: 7, asof: '2026-11-20T08:00:00Z', open: 'row', expected: '9' });

  it('goes back to the live first page when a filter changes', () => {
    expect(withFilter(deep, { states: ['failed'] })).toEqual(view({ networks: ['1'], states: ['failed'] }));
    expect(withFilter(deep, { size: 100 })).toEqual(view({ networks: ['1'], size: 100 }));
  });

  it('keeps a snapshot that the change names', () => {
    expect(withFilter(deep, { q: '5', asof: deep.asof }).asof).toBe('2026-11-20T08:00:00Z');
  });

  it('pins the list when it leaves the first page, and keeps the pin', () => {
    const second = withPage(view(), 2, NOW);
    expect(second).toMatchObject({ page: 2, asof: '2026-11-20T08:05:03.120Z' });
    expect(withPage(second, 3, NOW + 60_000).asof).toBe(second.asof);
    expect(withPage(second, 1, NOW + 60_000)).toMatchObject({ page: 1, asof: second.asof });
    expect(withPage(view({ open: 'row' }), 1, NOW)).toEqual(view());
    expect(withPage(deep, 8, NOW).expected).toBe('9');
  });

  it('leaves the view it was given as it is', () => {
    const before = structuredClone(deep);
    withFilter(deep, { q: 'x' });
    withPage(deep, 2, NOW);
    expect(deep).toEqual(before);
  });

  it('counts from asof when there is one', () => {
    expect(viewNowMs(deep, NOW)).toBe(Date.UTC(2026, 10, 20, 8));
    expect(viewNowMs(view(), NOW)).toBe(NOW);
  });
});
