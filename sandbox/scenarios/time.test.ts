import { beforeEach, describe, expect, test } from 'vitest';
import { LogWorld } from '@/sandbox/logs/log-world';
import { STATE } from '@/sandbox/logs/row-table';
import { rowText } from '@/sandbox/logs/row-writer';
import { type ScenarioName, scenarioAt } from './catalogue';

const START = Date.UTC(2026, 10, 20, 8);
const SECOND = 1000;
const HOUR = 3_600_000;
const SEED = 3;

function texts(world: LogWorld): string[] {
  return Array.from({ length: world.table.length }, (_, row) =>
    rowText(world.mixer, world.wireRow(row), 'text'),
  );
}

function stuckNow(world: LogWorld): number {
  const rows = world.parts.filter(({ role }) => role === 'stuck').map(({ row }) => row);
  return rows.filter((row) => world.table.state(row) === STATE.pending).length;
}

describe('a scenario as time goes on', () => {
  let world: LogWorld;
  beforeEach(() => {
    world = new LogWorld(SEED, 4000, START);
  });
  const begin = (name: ScenarioName, ms = START) => world.setScenario(scenarioAt(SEED, name, ms), ms);

  test('rows keep arriving and are answered', () => {
    begin('gave-up');
    const before = world.table.length;
    world.moveTo(START + HOUR);
    expect(world.table.length - before).toBeGreaterThan(1200);
    const { total } = world.index.page(
      { keeper: 'main', state: STATE.pending, maxMs: START + HOUR - 60_000 },
      0,
      10,
    );
    expect([total, stuckNow(world)]).toEqual([3, 3]);
  });

  test('slow requests are completed after 290 s', () => {
    begin('slow');
    expect(stuckNow(world)).toBe(3);
    world.moveTo(START + 135 * SECOND);
    expect(stuckNow(world)).toBe(2);
    world.moveTo(START + 220 * SECOND);
    expect(stuckNow(world)).toBe(0);
  });

  test('an outage goes on: after 4 minutes there is one more', () => {
    begin('rpc-outage');
    world.moveTo(START + 239 * SECOND);
    expect(stuckNow(world)).toBe(41);
    world.moveTo(START + 245 * SECOND);
    expect(stuckNow(world)).toBe(42);
  });

  test('the steps of the clock make no difference', () => {
    begin('mixed-outage-and-contract');
    const stepwise = new LogWorld(SEED, 4000, START);
    stepwise.setScenario(scenarioAt(SEED, 'mixed-outage-and-contract', START), START);
    for (let minute = 1; minute <= 60; minute++) stepwise.moveTo(START + minute * 60_000);
    world.moveTo(START + HOUR);
    expect(texts(stepwise)).toEqual(texts(world));
  });

  test('before its time it is not there, and later it is again', () => {
    const untouched = new LogWorld(SEED, 4000, START);
    begin('bad-contract', START + HOUR);
    const there = texts(world);
    world.moveTo(START + HOUR / 2);
    untouched.moveTo(START + HOUR / 2);
    expect(texts(world)).toEqual(texts(untouched));
    world.moveTo(START + HOUR);
    expect(texts(world)).toEqual(there);
  });

  test('without it everything is as though it had never been', () => {
    const untouched = new LogWorld(SEED, 4000, START);
    world.moveTo(START + HOUR);
    begin('flood', START + HOUR);
    world.moveTo(START + 2 * HOUR);
    world.setScenario(undefined, START + 3 * HOUR);
    untouched.moveTo(START + 3 * HOUR);
    expect(texts(world)).toEqual(texts(untouched));
    world.moveTo(START + 9 * HOUR);
    untouched.moveTo(START + 9 * HOUR);
    expect(texts(world)).toEqual(texts(untouched));
    for (const keeper of ['main', 'test'] as const) {
      for (const state of Object.values(STATE)) {
        const filter = { keeper, state };
        const [one, other] = [world, untouched].map(({ index }) => index.page(filter, 0, 1e6));
        expect(one).toEqual(other);
      }
    }
  });

  test('a very long way ends it', () => {
    begin('gap');
    world.moveTo(START + 30 * 24 * HOUR);
    expect([world.scenario, world.parts.length, world.table.length]).toEqual([undefined, 0, 4000]);
  });

  test('with another seed it has other rows and the same figures', () => {
    const other = new LogWorld(4, 4000, START);
    other.setScenario(scenarioAt(4, 'rpc-outage', START), START);
    begin('rpc-outage');
    expect(stuckNow(other)).toBe(41);
    const row = world.parts[30]?.row ?? 0;
    const same = other.parts[30]?.row ?? 0;
    expect(other.requestHash(other.identityOf(same))).not.toBe(world.requestHash(world.identityOf(row)));
  });
});
