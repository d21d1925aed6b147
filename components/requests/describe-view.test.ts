import { describe, expect, it } from 'vitest';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
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

  it('counts back from where a pinned list ends', () => {
    const asof = '2026-11-20T08:00:00Z';
    const words = (time: RequestsView['time']) => describeTotal('2', view({ time, asof }), names);
    expect(words({ kind: 'last', range: '24h' })).toBe(
      '2 requests in the 24 hours before 2026-11-20 08:00:00 UTC',
    );
    expect(words({ kind: 'all' })).toBe('2 requests until 2026-11-20 08:00:00 UTC');
    expect(words({ kind: 'between', from: '2026-11-20T07:00:00Z' })).toBe(
      '2 requests from 2026-11-20 07:00:00 UTC to 2026-11-20 08:00:00 UTC',
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

  it('names two networks, states or keepers, and counts more networks and keepers', () => {
    const all = { time: { kind: 'all' as const } };
    const words = (change: Partial<RequestsView>) =>
      describeTotal('5', view({ ...all, ...change }), { ...names, keeper: change.keepers?.[0] });
    expect(words({ networks: ['8453', '1'], states: ['pending', 'callback-failed'] })).toBe(
      '5 requests on Base and 1 of all time, state pending or callback failed',
    );
    expect(words({ networks: ['8453', '1', '10'], states: ['pending', 'failed', 'completed'] })).toBe(
      '5 requests on 3 networks of all time, state pending, failed or completed',
    );
    expect(words({ keepers: ['main', 'test'] })).toBe('5 requests of keepers main and test of all time');
    expect(words({ keepers: ['a', 'b', 'c'] })).toBe('5 requests of 3 keepers of all time');
  });
});
