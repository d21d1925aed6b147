import { beforeEach, expect, it } from 'vitest';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { COLLECT_EVERY_MS, MetricsCollector, UNREAD_MS } from './metrics-collector';
import type { NetworkFigures } from './network-figures';

const WHOLE: NetworkFigures = {
  networks: [{ keeper: 'main', networkId: '8453', name: 'Base', pending: 3 }],
  keepers: [{ keeper: 'main', isWhole: true, checkedAtMs: 1000, pending: 3, unseen: 0 }],
};
const BLIND: NetworkFigures = { networks: [], keepers: [{ keeper: 'main', isWhole: false }] };

let timers: ManualTimers;
let gathered: number;
let answer: () => Promise<NetworkFigures | undefined>;
let bugs: unknown[];
let collector: MetricsCollector;

beforeEach(() => {
  timers = new ManualTimers();
  gathered = 0;
  answer = async () => WHOLE;
  bugs = [];
  const gather = () => {
    gathered += 1;
    return answer();
  };
  collector = new MetricsCollector({ gather, timers, bug: (error) => bugs.push(error) });
});

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function pass(ms: number): Promise<void> {
  timers.advance(ms);
  await settled();
}

it('asks nobody before the metrics are read', async () => {
  await pass(10 * UNREAD_MS);
  expect([gathered, collector.collected.state]).toEqual([0, 'resting']);
});

it('gathers when they are read first, and then once a minute however often they are read', async () => {
  for (let reading = 0; reading < 10; reading += 1) collector.read();
  await settled();
  expect(gathered).toBe(1);
  expect(collector.collected).toMatchObject({ state: 'running', figures: WHOLE, runs: 1 });
  await pass(COLLECT_EVERY_MS - 1);
  collector.read();
  expect(gathered).toBe(1);
  await pass(1);
  expect(gathered).toBe(2);
});

it('waits for a slow run before the minute begins', async () => {
  let finish: (figures: NetworkFigures) => void = () => {};
  answer = () => new Promise((resolve) => (finish = resolve));
  collector.read();
  await pass(5 * COLLECT_EVERY_MS);
  expect([gathered, timers.pending]).toEqual([1, 0]);
  finish(WHOLE);
  await settled();
  expect(collector.collected.lastRunMs).toBe(5 * COLLECT_EVERY_MS);
  expect(timers.nextIn).toBe(COLLECT_EVERY_MS);
});

it('rests when nobody has read them for ten minutes, forgets its figures, and begins anew', async () => {
  collector.read();
  await settled();
  for (let minute = 0; minute < 9; minute += 1) await pass(COLLECT_EVERY_MS);
  expect([gathered, collector.collected.state]).toEqual([10, 'running']);
  await pass(COLLECT_EVERY_MS);
  expect(collector.collected).toMatchObject({ state: 'resting', figures: undefined });
  await pass(UNREAD_MS);
  expect([gathered, timers.pending]).toEqual([10, 0]);
  collector.read();
  await settled();
  expect([gathered, collector.collected.figures]).toEqual([11, WHOLE]);
});

it('keeps the time of the last good reading of a log that can’t be read any more', async () => {
  collector.read();
  await settled();
  answer = async () => BLIND;
  await pass(COLLECT_EVERY_MS);
  expect(collector.collected.figures).toEqual({
    networks: [],
    keepers: [{ keeper: 'main', isWhole: false, checkedAtMs: 1000 }],
  });
});

it('reports an error of ours, shows no old figures, and tries again', async () => {
  collector.read();
  await settled();
  answer = async () => {
    throw new Error('a bug');
  };
  await pass(COLLECT_EVERY_MS);
  expect(bugs).toEqual([new Error('a bug')]);
  expect(collector.collected.figures).toBeUndefined();
  answer = async () => WHOLE;
  await pass(COLLECT_EVERY_MS);
  expect(collector.collected.figures).toEqual(WHOLE);
});

it('takes nothing in after its end, and sets no timer', async () => {
  let finish: (figures: NetworkFigures) => void = () => {};
  answer = () => new Promise((resolve) => (finish = resolve));
  collector.read();
  collector.stop();
  finish(WHOLE);
  await settled();
  expect([collector.collected.figures, timers.pending]).toEqual([undefined, 0]);
});

it('is one loop, although it was ended and begun while a run was under way', async () => {
  const finish: ((figures: NetworkFigures) => void)[] = [];
  answer = () => new Promise((resolve) => finish.push(resolve));
  collector.read();
  collector.stop();
  collector.read();
  for (const settle of finish) settle(WHOLE);
  await settled();
  expect([gathered, collector.collected.runs, timers.pending]).toEqual([2, 1, 1]);
});
