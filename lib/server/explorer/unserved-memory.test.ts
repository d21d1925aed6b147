import { expect, test } from 'vitest';
import { listingOf } from './listing';
import { FakeKeeper, listingSources, NOW_MS, viewOf } from './listing-fakes';
import { createLogSource } from './log-source';
import { createUnservedMemory } from './unserved-memory';

function setUp() {
  const main = new FakeKeeper('main', [
    { id: 1, networkId: '1', state: 'Pending', createdAt: '2026-11-20T07:00:00Z' },
  ]);
  main.networks = ['1'];
  let nowMs = NOW_MS;
  const memory = createUnservedMemory(() => nowMs);
  const sources = new Map([['main', memory.remembering(createLogSource('main', main.client))]]);
  const given = { ...listingSources([]), sources };
  const networksAsked = () => main.calls.splice(0).map(({ query }) => query.get('network_id'));
  return { main, memory, sources, given, networksAsked, wait: (ms: number) => (nowMs += ms) };
}

test('a network that the keeper refuses is named in every listing, and asked for once in ten minutes', async () => {
  const { given, networksAsked, wait } = setUp();
  const list = async () => {
    const listing = await listingOf(viewOf({ networks: ['1', '2'] }), given);
    return listing.ok ? [listing.value.total, listing.value.unserved] : listing.failure;
  };
  const unserved = ['1', [{ keeper: 'main', networkId: '2' }]];
  expect(await list()).toEqual(unserved);
  expect(networksAsked()).toContain('2');
  wait(599_999);
  expect(await list()).toEqual(unserved);
  expect(networksAsked()).toEqual(['1']);
  wait(1);
  expect(await list()).toEqual(unserved);
  expect(networksAsked()).toContain('2');
});

test('what a keeper serves is known from its answers, and never from its troubles', async () => {
  const { main, memory, sources } = setUp();
  const count = (networkId: string) => sources.get('main')?.count({ networkId }, 'user');
  await count('1');
  await count('2');
  main.networks = undefined;
  main.failure = { kind: 'failing', service: 'logs', detail: 'down' };
  await count('3');
  expect(['1', '2', '3'].map((id) => memory.standing('main', id))).toEqual(['served', 'unserved', undefined]);
  expect(memory.standing('test', '1')).toBeUndefined();
});
