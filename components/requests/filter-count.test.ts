import { describe, expect, it } from 'vitest';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { filterCount, isFiltered, withoutFilters } from './filter-count';

const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });

describe('counting filters', () => {
  it('counts each kind once, and those on columns one by one', () => {
    expect(filterCount(view())).toBe(0);
    expect(filterCount(view({ networks: ['1', '10'], states: ['failed'], time: { kind: 'all' } }))).toBe(3);
    const columns = { senders: ['0xa'], gasLimit: { min: '5' } };
    expect(filterCount(view({ ...columns, time: { kind: 'last', range: '1h' } }))).toBe(3);
  });

  it('leaves the search to its own field', () => {
    expect(filterCount(view({ q: '5' }))).toBe(0);
    expect(isFiltered(view({ q: '5' }))).toBe(true);
    expect(isFiltered(view())).toBe(false);
  });

  it('lifts all of them and keeps what is no filter', () => {
    const kept = { size: 100, sort: 'state.asc', zone: 'utc', live: 5 } as const;
    const deep = view({
      ...kept,
      q: '5',
      networks: ['1'],
      keepers: ['test'],
      page: 4,
      time: { kind: 'all' },
    });
    expect(withoutFilters(deep)).toEqual(view(kept));
  });
});
