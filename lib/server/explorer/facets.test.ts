import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FacetLine, FacetOf } from '@/lib/contract/codec/facets';
import type { RequestsView } from '@/lib/requests/view';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { createCounts } from './counts';
import { FakeLog, listOf, UNSUPPORTED, viewBetween } from './counts-fakes';
import { facetLines } from './facets';
import { partsOf } from './parts';
import { createUnservedMemory } from './unserved-memory';

const NOW = Date.UTC(2026, 10, 20, 8);
const AT = '2026-11-20T07:00:00Z';
const VIEW = viewBetween('2026-11-20T06:00:00Z', '2026-11-20T08:00:00Z');

function setUp(logs: FakeLog[], networks: string[] = ['1', '2']) {
  const timers = new ManualTimers();
  const now = () => NOW + timers.elapsed();
  const memory = createUnservedMemory(now);
  const sources = new Map(logs.map((log) => [log.keeper, memory.remembering(log)]));
  const edges = {
    counts: createCounts({ now, timers }),
    parts: (view: RequestsView, nowMs: number) => partsOf(view, nowMs, sources),
    keepers: [...sources.keys()],
    networks: async () => networks,
  };
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const ask = (view: RequestsView, of: FacetOf) =>
    listOf(facetLines({ view, of, nowMs: NOW, signal }, edges));
  return { ask, timers };
}

/** Totals by value, a refusal as its kind, and the kind of the last line. */
function summary(lines: readonly FacetLine[]): Record<string, string | undefined> {
  const said = lines.flatMap((line): [string, string][] => {
    if (line.kind === 'count') return [[line.value, line.total]];
    return line.kind === 'refused' ? [[line.value, line.failure.kind]] : [];
  });
  return { ...Object.fromEntries(said), end: lines.at(-1)?.kind };
}

const rows = (networkId: string, ...states: string[]) =>
  states.map((state) => ({ at: AT, state, networkId }));

describe('facets', () => {
  const main = () =>
    new FakeLog([
      ...rows('1', 'Pending', 'Completed', 'Completed', 'Revealing'),
      ...rows('2', 'Pending', 'Failed'),
    ]);

  it('of networks count each with the states of the view, and those that only the view names', async () => {
    const { ask } = setUp([main()]);
    expect(summary(await ask(VIEW, 'network'))).toEqual({ 1: '4', 2: '2', end: 'complete' });
    const chosen = { ...VIEW, networks: ['3', '1'], states: ['pending', 'completed'] };
    expect(summary(await ask(chosen, 'network'))).toEqual({ 1: '3', 2: '1', 3: '0', end: 'complete' });
  });

  it('of states count the four words with the networks of the view, and unknown ones where there are any', async () => {
    const { ask } = setUp([main()]);
    expect(summary(await ask({ ...VIEW, states: ['failed'] }, 'state'))).toEqual({
      pending: '2',
      completed: '2',
      'callback-failed': '0',
      failed: '1',
      unknown: '1',
      end: 'complete',
    });
    const { unknown, pending } = summary(await ask({ ...VIEW, networks: ['2'] }, 'state'));
    expect([unknown, pending]).toEqual([undefined, '1']);
  });

  it('of keepers count each keeper', async () => {
    const test = new FakeLog(rows('7', 'Pending'), 'test');
    const { ask } = setUp([main(), test]);
    expect(summary(await ask(VIEW, 'keeper'))).toEqual({ main: '6', test: '1', end: 'complete' });
    const { main: ofMain } = summary(
      await ask({ ...VIEW, states: ['pending'], keepers: ['test'] }, 'keeper'),
    );
    expect(ofMain).toBe('2');
  });

  it('ask for each filter once, however many look', async () => {
    const log = main();
    const { ask } = setUp([log]);
    await Promise.all([ask(VIEW, 'state'), ask(VIEW, 'state'), ask(VIEW, 'state')]);
    const filters = log.asked.map((filter) => JSON.stringify(filter));
    // The states don't add up, as one is unknown, so they are asked a second time to be sure.
    expect(filters.filter((filter) => filter.includes('Failed')).length).toBeLessThanOrEqual(4);
    const askedForStates = log.asked.length;
    await ask(VIEW, 'network');
    await ask(VIEW, 'network');
    expect(log.asked.length - askedForStates).toBe(2);
  });
});

describe('a network that a keeper does not serve', () => {
  function twoKeepers() {
    const main = new FakeLog(rows('1', 'Pending'));
    const test = new FakeLog(rows('2', 'Pending', 'Pending'), 'test');
    for (const log of [main, test]) {
      const own = log === main ? '1' : '2';
      log.answer = async ({ networkId }) =>
        networkId === undefined || networkId === own ? undefined : { ok: false, failure: UNSUPPORTED };
    }
    return { main, test, ...setUp([main, test]) };
  }

  it('is named as such, and not asked for again for ten minutes', async () => {
    const { ask, main, timers } = twoKeepers();
    expect(summary(await ask(VIEW, 'network'))).toEqual({ 1: '1', 2: 'rejected', end: 'complete' });
    timers.advance(599_999);
    main.asked = [];
    await ask(VIEW, 'network');
    expect(main.asked.map(({ networkId }) => networkId)).toEqual(['1']);
    timers.advance(1);
    main.asked = [];
    await ask(VIEW, 'network');
    expect(main.asked.map(({ networkId }) => networkId)).toContain('2');
  });

  it('has the rows of the keeper that does', async () => {
    const { ask } = twoKeepers();
    const both = { ...VIEW, keepers: ['main', 'test'] };
    expect(summary(await ask(both, 'network'))).toEqual({ 1: '1', 2: '2', end: 'complete' });
  });

  it('is no failure of another facet', async () => {
    const { ask } = twoKeepers();
    const both = { ...VIEW, keepers: ['main', 'test'], networks: ['2'] };
    expect(summary(await ask(both, 'state'))).toMatchObject({ pending: '2', failed: '0', end: 'complete' });
    expect(summary(await ask(both, 'keeper'))).toEqual({ main: 'rejected', test: '2', end: 'complete' });
  });
});

describe('trouble', () => {
  it('ends the list, and asks no further', async () => {
    const log = new FakeLog(rows('1', 'Pending'));
    const networks = Array.from({ length: 100 }, (_, n) => String(n));
    const failure = { kind: 'failing', service: 'logs', detail: 'down' } as const;
    log.answer = async () => ({ ok: false, failure });
    const { ask } = setUp([log], networks);
    expect(await ask(VIEW, 'network')).toEqual([{ kind: 'problem', failure }]);
    expect(log.asked.length).toBeLessThanOrEqual(32);
  });

  it('with one value leaves the others', async () => {
    const log = new FakeLog(rows('1', 'Pending'));
    const failure = { kind: 'rejected', service: 'logs', detail: 'unknown variant' } as const;
    log.answer = async ({ state }) => (state === 'Odd' ? { ok: false, failure } : undefined);
    const { ask } = setUp([log]);
    const said = summary(await ask({ ...VIEW, states: ['Odd'] }, 'state'));
    expect(said).toMatchObject({ pending: '1', Odd: 'rejected', end: 'complete' });
  });
});
