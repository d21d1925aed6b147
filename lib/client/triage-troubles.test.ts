import { expect, it } from 'vitest';
import { sameTroubles } from './triage-troubles';

const down = { kind: 'unreachable', detail: 'The service is down.' } as const;
const slow = { kind: 'timeout', detail: 'No answer within 10 s.' } as const;
const newest = (networkId: string) => ({ keeper: 'main', what: 'Newest requests', networkId });

it('what failed for one reason is one trouble that names all it is about', () => {
  const found = sameTroubles([
    { keeper: 'main', what: 'Pending requests', failure: down },
    { ...newest('1'), failure: slow },
    { ...newest('10'), failure: down },
  ]);
  expect(found).toMatchObject([
    {
      failure: down,
      places: [{ what: 'Pending requests' }, { what: 'Newest requests', networkId: '10' }],
      kept: undefined,
    },
    { failure: slow, places: [{ networkId: '1' }] },
  ]);
});

it('keepers, and what is shown from before or not at all, stay apart', () => {
  const found = sameTroubles([
    { ...newest('1'), failure: down, keptFromMs: 2000 },
    { ...newest('10'), failure: down },
    { ...newest('137'), failure: down, keptFromMs: 1000 },
    { ...newest('1'), keeper: 'test', failure: down },
  ]);
  expect(found.map(({ kept }) => kept)).toEqual([{ fromMs: 1000, untilMs: 2000 }, undefined, undefined]);
  expect(new Set(found.map(({ key }) => key)).size).toBe(3);
});

it('how long until the next call is no reason of its own', () => {
  const found = sameTroubles([
    { ...newest('1'), failure: { ...down, retryAfterS: 4 } },
    { ...newest('10'), failure: { ...down, retryAfterS: 2 } },
  ]);
  expect(found.map(({ places }) => places.length)).toEqual([2]);
});
