import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlOf } from '@/e2e/control';
import type { Dashboard } from '@/e2e/dashboard';
import { percentile } from './load';
import { processorMs, residentMb } from './processes';
import type { Figure } from './report';

/** Fewer of them where a short look is enough. */
const CLIENTS = Number(process.env.BENCH_STREAM_CLIENTS ?? 2000);
const WHAT = `${CLIENTS} streams of 20 feeds`;
/** Readers that come and go before anything is measured, so that the code is compiled and loaded. */
const FIRST_CLIENTS = 200;
const WARM_UP_MS = 2000;
const COUNTED_MS = 20_000;
/** Aims on a quiet machine, from the fan-out of bare `node:http`. */
const AIM_MS_PER_THOUSAND = 15;
const AIM_LAG_P99_MS = 75;

type Order = { do: 'open'; url: string; count: number } | { do: 'count' | 'report' | 'close' };
/** When each reader got an update, unix ms, by the update's number; `wrong`: updates missed or had twice. */
type Report = { arrivals: [number, number[]][]; wrong: number; live: number };

/**
 * Very many readers of the same feeds: processor time for each update that arrived, how long after the first reader the
 * others have it, memory of each reader, and that nobody misses anything.
 * @param sandbox origin of the price service, in a process of its own
 * @param ids feeds that all of them read
 */
export async function measureFanOut(
  { origin, process: { pid = 0 } }: Dashboard,
  sandbox: string,
  ids: readonly string[],
): Promise<Figure[]> {
  const url = `${origin}/api/feeds/stream?ids=${ids.join(',')}`;
  const clients = fork('bench/stream-clients.mjs', { serialization: 'advanced' });
  process.once('exit', () => clients.kill());
  const tell = (order: Order) =>
    new Promise<unknown>((resolve, reject) => {
      clients.once('message', (answer: { done: unknown } | { failed: string }) => {
        if ('failed' in answer) reject(new Error(`${order.do}: ${answer.failed}`));
        else resolve(answer.done);
      });
      clients.send(order);
    });
  try {
    const control = controlOf(sandbox);
    await control.forgetCalls();
    await tell({ do: 'open', url, count: FIRST_CLIENTS });
    await sleep(WARM_UP_MS);
    const aloneMb = residentMb(pid);
    await tell({ do: 'open', url, count: CLIENTS - FIRST_CLIENTS });
    await sleep(WARM_UP_MS);
    await tell({ do: 'count' });
    const beganMs = processorMs(pid);
    await sleep(COUNTED_MS);
    const spentMs = processorMs(pid) - beganMs;
    const report = (await tell({ do: 'report' })) as Report;
    const mb = residentMb(pid) - aloneMb;
    const opened = (await control.calls('updates', 'stream')).total;
    return figuresOf(report, spentMs, mb, opened);
  } finally {
    clients.kill();
  }
}

function figuresOf({ arrivals, wrong, live }: Report, spentMs: number, mb: number, opened: number): Figure[] {
  // The first and the last may have been on their way when the counting began or ended.
  const whole = arrivals.sort(([one], [other]) => one - other).slice(1, -1);
  const absent = whole.reduce((sum, [, times]) => sum + Math.abs(CLIENTS - times.length), 0);
  const received = arrivals.reduce((sum, [, times]) => sum + times.length, 0);
  const lags = whole.map(([, times]) => times.map((time) => time - Math.min(...times)));
  const p99 = percentile(
    lags.map((one) => percentile(one, 0.99)),
    0.5,
  );
  const lost = wrong + absent + (CLIENTS - live);
  return [
    {
      what: `${WHAT}: processor time of 1,000 updates`,
      value: spentMs / (received / 1000),
      unit: 'ms',
      aim: AIM_MS_PER_THOUSAND,
    },
    { what: `${WHAT}: behind the first reader, p50`, value: percentile(lags.flat(), 0.5), unit: 'ms' },
    {
      what: `${WHAT}: behind the first reader, p99 of an update, median`,
      value: p99,
      unit: 'ms',
      aim: AIM_LAG_P99_MS,
    },
    { what: `${WHAT}: memory of one`, value: (mb * 1000) / (CLIENTS - FIRST_CLIENTS), unit: 'kB' },
    { what: `${WHAT}: updates that a reader missed or had twice`, value: lost, unit: '', atMost: 0 },
    { what: `${WHAT}: streams of the service opened in all`, value: opened, unit: '', atMost: 1, atLeast: 1 },
  ];
}
