import { describe, expect, it } from 'vitest';
import { parseRequestsUrl } from '@/lib/contract/codec/requests-url';
import { laneRangePath } from './lane-link';

describe('the rows of a stretch of a lane', () => {
  it('are asked for by keeper, network and time, both ends included to the last part of a millisecond, and are of one provider', () => {
    const fromMs = Date.UTC(2026, 10, 20, 12);
    const path = laneRangePath(
      { keeper: 'test', networkId: '8453', provider: '0xab' },
      { fromMs: fromMs + 0.25, toMs: fromMs + 1.75 },
    );
    const { view, problems } = parseRequestsUrl(new URLSearchParams(path.split('?')[1]));
    expect(problems).toEqual([]);
    expect(view).toMatchObject({
      keepers: ['test'],
      networks: ['8453'],
      states: [],
      within: { only: [{ column: 'provider', value: '0xab' }], not: [] },
      time: { kind: 'between', from: '2026-11-20T12:00:00.000Z', to: '2026-11-20T12:00:00.002Z' },
    });
  });
});
