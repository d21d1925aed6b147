import { afterEach, expect, it } from 'vitest';
import { DuckDbEngine } from './duckdb/engine';
import { type Engine, IndexUnavailableError } from './engine';
import { openTestEngine } from './engine-fixture';

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** Takes minutes in both engines. */
const ENDLESS = `select count(*) as n from generate_series(1, 1000000) a(n)
  join generate_series(1, 1000000) b(m) on a.n + b.m = 7 or a.n * b.m = -1`;

it('ends a question after its time, as one that the database did not answer, and answers the next', async () => {
  const engine = await openTestEngine({ answerMs: 500 });
  engines.push(engine);
  const startedMs = performance.now();
  const asking = engine.all(ENDLESS);
  await expect(asking).rejects.toBeInstanceOf(IndexUnavailableError);
  await expect(asking).rejects.toThrow(engine.place);
  await expect(asking).rejects.toThrow('did not answer within 1 s');
  await expect(engine.snapshot(({ all }) => all(ENDLESS))).rejects.toThrow('did not answer');
  expect(performance.now() - startedMs).toBeLessThan(5000);
  expect(await engine.all('select 1 as n')).toEqual([{ n: 1 }]);
});

it('waits for one of the connections no longer than for an answer', async () => {
  const engine = await DuckDbEngine.open({ memoryMb: 256, answerMs: 1000 });
  engines.push(engine);
  const startedMs = performance.now();
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => engine.all(ENDLESS)));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'rejected'));
  expect(performance.now() - startedMs).toBeLessThan(4000);
  expect(await engine.all('select 1 as n')).toEqual([{ n: 1 }]);
});
