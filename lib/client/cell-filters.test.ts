import { describe, expect, it } from 'vitest';
import { type Cell, defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import { unknownNetwork } from '@/lib/domain/network';
import {
  applyNot,
  applyOnly,
  needsServed,
  notCell,
  onlyCell,
  onlyValues,
  withinCount,
  withoutCell,
} from './cell-filters';

const networks = [{ ...unknownNetwork('8453'), name: 'Base' }, unknownNetwork('1'), unknownNetwork('10')];
const keepers = ['main', 'test'];
const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });
const cell = (column: Cell['column'], value: string): Cell => ({ column, value });
const ALICE = cell('sender', '0xa');
const BOB = cell('sender', '0xb');
const deep = view({ page: 3, asof: '2026-11-20T08:00:00Z', open: 'row' });

describe('applyOnly', () => {
  it('asks the service for one network, by id or by name, one state, one keeper', () => {
    expect(applyOnly(deep, cell('network', '8453'), networks)).toEqual(view({ networks: ['8453'] }));
    expect(applyOnly(deep, cell('network', 'Base'), networks)).toEqual(view({ networks: ['8453'] }));
    expect(applyOnly(deep, cell('network', '777'), networks)).toEqual(view({ networks: ['777'] }));
    expect(applyOnly(view({ states: ['pending', 'failed'] }), cell('state', 'failed'), networks)).toEqual(
      view({ states: ['failed'] }),
    );
    expect(applyOnly(deep, cell('keeper', 'test'), networks, keepers)).toEqual(view({ keepers: ['test'] }));
    expect(applyOnly(view({ keepers }), cell('keeper', 'main'), networks, keepers)).toEqual(view());
  });

  it('filters any other column within the rows that are loaded, and moves nowhere', () => {
    expect(applyOnly(deep, ALICE, networks)).toEqual({ ...deep, within: { only: [ALICE], not: [] } });
  });

  it('cannot ask the service for a state that has no word of ours', () => {
    const odd = cell('state', 'Revealing');
    expect(applyOnly(view(), odd, networks).within.only).toEqual([odd]);
    expect(applyNot(view(), odd, { networks }).within.not).toEqual([odd]);
  });

  it('lifts what held for the column within the loaded rows', () => {
    const odd = cell('state', 'Revealing');
    const within = { only: [ALICE], not: [odd] };
    expect(applyOnly(view({ within }), cell('state', 'failed'), networks)).toEqual(
      view({ states: ['failed'], within: { only: [ALICE], not: [] } }),
    );
  });
});

describe('applyNot', () => {
  it('asks for all networks that the keepers serve but this one, offered or not', () => {
    const served = ['8453', '1', '777'];
    expect(applyNot(deep, cell('network', '1'), { networks, served })).toEqual(
      view({ networks: ['8453', '777'] }),
    );
    expect(needsServed(deep, cell('network', '1'))).toBe(true);
  });

  it('stays within the loaded rows where nobody knows what the keepers serve', () => {
    const not = cell('network', '1');
    expect(applyNot(deep, not, { networks })).toEqual({ ...deep, within: { only: [], not: [not] } });
  });

  it('asks for all states and keepers but this one', () => {
    expect(applyNot(deep, cell('state', 'completed'), { networks })).toEqual(
      view({ states: ['pending', 'callback-failed', 'failed'] }),
    );
    expect(applyNot(view(), cell('keeper', 'main'), { networks, keepers })).toEqual(
      view({ keepers: ['test'] }),
    );
    expect(applyNot(view({ keepers }), cell('keeper', 'test'), { networks, keepers })).toEqual(view());
  });

  it('takes it out of those that are chosen', () => {
    expect(needsServed(view({ networks: ['1', '777'] }), cell('network', '777'))).toBe(false);
    expect(applyNot(view({ networks: ['1', '777'] }), cell('network', '777'), { networks })).toEqual(
      view({ networks: ['1'] }),
    );
  });

  it('never turns the last one into all of them', () => {
    const only = view({ networks: ['1'] });
    expect(applyNot(only, cell('network', '1'), { networks })).toEqual({
      ...only,
      within: { only: [], not: [cell('network', '1')] },
    });
    expect(applyNot(view(), cell('keeper', 'main'), { networks }).within.not).toEqual([
      cell('keeper', 'main'),
    ]);
  });

  it('filters any other column within the loaded rows', () => {
    expect(applyNot(deep, ALICE, { networks })).toEqual({ ...deep, within: { only: [], not: [ALICE] } });
  });
});

describe('filters within the loaded rows', () => {
  const none = { only: [], not: [] };

  it('replaces what was chosen of the column by only this', () => {
    const gas = cell('gas-limit', '5');
    expect(onlyCell({ only: [ALICE, gas], not: [BOB] }, BOB)).toEqual({ only: [gas, BOB], not: [] });
  });

  it('takes a chosen value out rather than naming it twice', () => {
    expect(notCell({ only: [ALICE, BOB], not: [] }, BOB)).toEqual({ only: [ALICE], not: [] });
    expect(notCell({ only: [BOB], not: [] }, BOB)).toEqual({ only: [], not: [BOB] });
    expect(notCell(notCell(none, BOB), BOB)).toEqual({ only: [], not: [BOB] });
  });

  it('chooses several values, and none of them lifts the filter', () => {
    const chosen = onlyValues({ only: [], not: [ALICE], gasMin: '1' }, 'sender', ['0xa', '0xb']);
    expect(chosen).toEqual({ only: [ALICE, BOB], not: [], gasMin: '1' });
    expect(onlyValues(chosen, 'sender', [])).toEqual({ only: [], not: [], gasMin: '1' });
  });

  it('counts them, and removes one', () => {
    const within = { only: [ALICE], not: [BOB], gasMin: '1', gasMax: '2' };
    expect(withinCount(within)).toBe(3);
    expect(withinCount(withoutCell(within, 'not', BOB))).toBe(2);
    expect(withinCount(none)).toBe(0);
  });
});
