import { describe, expect, it } from 'vitest';
import { unknownNetwork } from '@/lib/core/network';
import { type Cell, defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { applyNot, applyOnly, columnFilterCount, withoutColumnFilters } from './cell-filters';

const networks = [{ ...unknownNetwork('8453'), name: 'Base' }, unknownNetwork('1')];
const keepers = ['main', 'test'];
const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });
const cell = (column: Cell['column'], value: string): Cell => ({ column, value });
const deep = view({ page: 3, asof: '2026-11-20T08:00:00Z', open: 'row' });

describe('applyOnly', () => {
  it.each<[Cell, Partial<RequestsView>]>([
    [cell('network', '8453'), { networks: ['8453'] }],
    [cell('network', 'Base'), { networks: ['8453'] }],
    [cell('state', 'Revealing'), { states: ['Revealing'] }],
    [cell('sender', '0xAB'), { senders: ['0xab'] }],
    [cell('provider', '0xb'), { providers: ['0xb'] }],
    [cell('failure', 'a: b'), { failures: ['a: b'] }],
    [cell('gas-limit', '500000'), { gasLimit: { min: '500000', max: '500000' } }],
    [cell('duration', '1530'), { duration: { min: '1.53', max: '1.53' } }],
    [cell('sequence', '7'), { q: '7' }],
    [cell('keeper', 'test'), { keepers: ['test'] }],
    [cell('keeper', 'main'), { keepers: [] }],
  ])('%o', (only, change) => {
    expect(applyOnly(deep, only, networks, keepers)).toEqual(view(change));
  });

  it('lifts what was left out of the column, and leaves a column without a filter alone', () => {
    const not = [cell('sender', '0xa'), cell('state', 'failed')];
    expect(applyOnly(view({ not }), cell('sender', '0xa'), networks)).toEqual(
      view({ senders: ['0xa'], not: [cell('state', 'failed')] }),
    );
    expect(applyOnly(deep, cell('user-random', '0x1'), networks)).toBe(deep);
  });
});

describe('applyNot', () => {
  it('leaves the value out, once', () => {
    const once = applyNot(deep, cell('network', 'Base'), networks);
    expect(once).toEqual(view({ not: [cell('network', '8453')] }));
    expect(applyNot(once, cell('network', '8453'), networks)).toEqual(once);
  });

  it('takes it out of those that are chosen, and never turns the last one into all of them', () => {
    expect(applyNot(view({ networks: ['1', '777'] }), cell('network', '777'), networks)).toEqual(
      view({ networks: ['1'] }),
    );
    expect(applyNot(view({ keepers }), cell('keeper', 'test'), networks, keepers)).toEqual(view());
    expect(applyNot(view({ networks: ['1'] }), cell('network', '1'), networks)).toEqual(
      view({ networks: ['1'], not: [cell('network', '1')] }),
    );
  });
});

it('counts filters of columns, and lifts them', () => {
  const filtered = view({
    senders: ['0xa'],
    not: [cell('state', 'failed')],
    gasLimit: { min: '1', max: '2' },
  });
  expect(columnFilterCount(filtered)).toBe(3);
  expect(withoutColumnFilters(filtered)).toEqual(view());
});
