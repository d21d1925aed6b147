import { describe, expect, it } from 'vitest';
import { defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import { describeTotal } from './describe-view';

const names = { network: (id: string) => (id === '8453' ? 'Base' : id), keeper: undefined };
const view = (change: Partial<RequestsView>): RequestsView => ({ ...defaultRequestsView(), ...change });

describe('describeTotal', () => {
  it('says what is counted, with every digit of the total', () => {
    expect(describeTotal('1234', view({ networks: ['8453'], states: ['pending'] }), names)).toBe(
      '1,234 requests on Base in the last 24 hours, state pending',
    );
  });

  it('counts one request as one', () => {
    expect(describeTotal('1', view({ time: { kind: 'all' } }), names)).toBe('1 request of all time');
  });

  it('names the keeper where there are several', () => {
    expect(
      describeTotal('0', view({ time: { kind: 'last', range: '1h' } }), { ...names, keeper: 'test' }),
    ).toBe('0 requests of keeper test in the last hour');
  });

  it('names an absolute range and a search', () => {
    const time = { kind: 'between', from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' } as const;
    expect(describeTotal('2', view({ time, q: '77' }), names)).toBe(
      '2 requests from 2026-11-20 08:00:00 UTC to 2026-11-20 09:00:00 UTC, sequence 77',
    );
  });

  it('does not invent a total that the service did not give', () => {
    expect(describeTotal(undefined, view({}), names)).toBe(
      'Requests (the service gave no total) in the last 24 hours',
    );
  });

  it('keeps the wire name of a state that has no word of ours', () => {
    expect(describeTotal('3', view({ states: ['Paused'] }), names)).toContain(', state Paused');
  });
});
