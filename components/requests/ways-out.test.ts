import { expect, it } from 'vitest';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { isAllUnserved, waysOut } from './ways-out';

const pageOf = (change: Partial<RequestsView>, unserved: { keeper: string; networkId: string }[] = []) => {
  return { view: { ...defaultRequestsView(), ...change }, unserved };
};
const keepersOffered = (page: ReturnType<typeof pageOf>, ...keepers: string[]) =>
  waysOut(page, keepers).flatMap(({ label, to }) =>
    label.includes('keeper') ? [[label, to.keepers.join('+')]] : [],
  );

it('offers the keepers that were not asked for what was searched', () => {
  expect(keepersOffered(pageOf({ q: '17' }), 'main', 'test')).toEqual([
    ['Search keeper test', 'test'],
    ['Search all keepers', 'main+test'],
  ]);
  expect(keepersOffered(pageOf({ q: '17', keepers: ['test'] }), 'main', 'test')).toEqual([
    ['Search keeper main', ''],
    ['Search all keepers', 'main+test'],
  ]);
  expect(keepersOffered(pageOf({ q: '17', keepers: ['main', 'test'] }), 'main', 'test')).toEqual([]);
  expect(keepersOffered(pageOf({ q: '17' }), 'main')).toEqual([]);
});

it('offers them for a network that the asked keeper does not serve, and not for other filters', () => {
  const unserved = pageOf({ networks: ['84532'] }, [{ keeper: 'main', networkId: '84532' }]);
  expect(keepersOffered(unserved, 'main', 'test')[0]).toEqual(['Search keeper test', 'test']);
  expect(keepersOffered(pageOf({ networks: ['84532'] }), 'main', 'test')).toEqual([]);
  expect(isAllUnserved(unserved)).toBe(true);
  expect(isAllUnserved(pageOf({ networks: ['84532'], keepers: ['main', 'test'] }, unserved.unserved))).toBe(
    false,
  );
});

it('offers a step for each filter', () => {
  const labels = waysOut(pageOf({ q: '1', states: ['failed'], networks: ['1'] }), ['main']).map(
    ({ label }) => label,
  );
  expect(labels).toEqual(['Clear the search', 'All states', 'All networks', 'All time']);
});
