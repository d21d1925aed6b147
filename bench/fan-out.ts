import { setTimeout as sleep } from 'node:timers/promises';
import { controlOf } from '@/e2e/control';
import { median, percentile } from './load';
import { type OpenDashboard, processorMs, residentMb, startOpenProgram } from './processes';
import { type Figure, figure, type Limits } from './report';
import { type ClientsReport, StreamClients } from './stream-clients';
import { StreamWitness } from './stream-witness';

/** Gates: ours against a bare fan-out of the same bytes. */
const MAX_CPU_RATIO = 1.3;
const MAX_LAG_RATIO = 1.5;
const MAX_MEMORY_RATIO = 2;

/** Fewer of them where a short look is enough. */
const CLIENTS = Number(process.env.BENCH_STREAM_CLIENTS ?? 2000);
const ROUNDS = 3;
/** Readers that come and go before anything is measured, so that the code is compiled and loaded. */
const FIRST_CLIENTS = 200;
const WARM_UP_MS = 2000;
const COUNTED_MS = 7000;

/** One server under the load. */
type Side = {
  pid: number;
  url: string;
  /** Unix ms at which this server had each update, by its number. */
  cameMs(): Promise<Map<number, number>>;
  /** What the process holds without readers, once it had some, MB. */
  alone: Memory;
  memory(): Promise<Memory>;
  rounds: Round[];
};

/** As the system counts it, and of that what is in use. */
type Memory = { heldMb: number; residentMb: number };

type Round = {
  cpuMsPerThousand: number;
  /** Of all updates of the round together, ms. */
  p50: number;
  p99: number;
  /** One for each update: by when 99 of 100 readers had it, ms. */
  p99s: number[];
  /** More than the process holds without readers. */
  memory: Memory;
  lost: number;
};

/**
 * Very many readers of the same feeds on the dashboard and, in turn, on a bare fan-out that passes on the dashboard's own
 * bytes: processor time for each update that arrived, lag from the server's receipt to the reader, memory of each reader.
 * @param sandbox origin of the price service, in a process of its own
 * @param ids feeds that all of them read
 */
export async function measureFanOut(
  dashboard: OpenDashboard,
  sandbox: string,
  ids: readonly string[],
): Promise<Figure[]> {
  const control = controlOf(sandbox);
  await control.forgetCalls();
  const url = `${dashboard.origin}/api/feeds/stream?ids=${ids.join(',')}`;
  const witness = new StreamWitness();
  const clients = new StreamClients();
  await witness.open(url);
  const bare = await startOpenProgram(['bench/bare-fan-out.mjs', url]);
  const side = async (
    { pid, heldMb }: Pick<OpenDashboard, 'pid' | 'heldMb'>,
    of: string,
    cameMs: Side['cameMs'],
  ): Promise<Side> => {
    await clients.open(of, FIRST_CLIENTS);
    await sleep(WARM_UP_MS);
    await clients.close();
    await sleep(WARM_UP_MS);
    // In this order: it collects the garbage. How much of it a process has by then is chance, from 46 to 84 kB a reader.
    const memory = async () => ({ heldMb: await heldMb(), residentMb: residentMb(pid) });
    return { pid, url: of, cameMs, memory, alone: await memory(), rounds: [] };
  };
  try {
    const ours = await side(dashboard, url, async () => witness.receivedMs);
    const least = await side(bare, `${bare.origin}/stream`, () => cameAt(bare.origin));
    witness.watch();
    for (let index = 0; index < ROUNDS; index++) {
      least.rounds.push(await measureRound(least, clients));
      ours.rounds.push(await measureRound(ours, clients));
    }
    const opened = (await control.calls('updates', 'stream')).total;
    const lost = ours.rounds.reduce((sum, round) => sum + round.lost, 0);
    return [
      ...figuresOf(ours.rounds, least.rounds),
      figure(`${WHAT}: updates that a client missed or had twice, by number`, lost, '', { atMost: 0 }),
      figure(`${WHAT}: updates that never came, by slot`, witness.missed, '', { atMost: 0 }),
      figure(`${WHAT}: streams of the service opened in all`, opened, '', { atMost: 1, atLeast: 1 }),
    ];
  } finally {
    await clients.close();
    witness.close();
    await bare.end();
  }
}

async function cameAt(bare: string): Promise<Map<number, number>> {
  const came = (await (await fetch(`${bare}/came`)).json()) as Record<string, number>;
  return new Map(Object.entries(came).map(([id, ms]) => [Number(id.split('.')[1]), ms]));
}

async function measureRound(side: Side, clients: StreamClients): Promise<Round> {
  await clients.open(side.url, CLIENTS);
  await sleep(WARM_UP_MS);
  clients.count();
  const before = processorMs(side.pid);
  await sleep(COUNTED_MS);
  const spentMs = processorMs(side.pid) - before;
  const report = clients.report();
  const { heldMb, residentMb } = await side.memory();
  const byUpdate = lagsOf(report, await side.cameMs());
  const lags = byUpdate.flat();
  await clients.close();
  await sleep(500);
  return {
    cpuMsPerThousand: spentMs / (lags.length / 1000),
    p50: percentile(lags, 0.5),
    p99: percentile(lags, 0.99),
    p99s: byUpdate.map((one) => percentile(one, 0.99)),
    memory: { heldMb: heldMb - side.alone.heldMb, residentMb: residentMb - side.alone.residentMb },
    lost: lostOf(report),
  };
}

/** For each update the lags of all readers. */
function lagsOf({ arrivals }: ClientsReport, cameMs: Map<number, number>): number[][] {
  return [...arrivals].map(([seq, times]) => {
    const came = cameMs.get(seq);
    if (came === undefined) throw new Error(`nobody knows when update ${seq} came`);
    return times.map((time) => time - came);
  });
}

/** By the numbers of the updates; the first and the last may have been on their way when the counting began or ended. */
function lostOf({ arrivals, wrong, live }: ClientsReport): number {
  const whole = [...arrivals].sort(([a], [b]) => a - b).slice(1, -1);
  const absent = whole.reduce((sum, [, { length }]) => sum + Math.abs(CLIENTS - length), 0);
  return wrong + absent + (CLIENTS - live);
}

const WHAT = `${CLIENTS} streams of 20 feeds`;

function figuresOf(ours: readonly Round[], bare: readonly Round[]): Figure[] {
  const both = (what: string, unit: string, of: (round: Round) => number | number[], held: Limits) => {
    // Over the rounds, or over all updates of all rounds.
    const mine = median(ours.flatMap(of));
    const least = median(bare.flatMap(of));
    return [
      figure(`${WHAT}: ${what}, ours`, mine, unit),
      figure(`${WHAT}: ${what}, bare`, least, unit),
      figure(`${WHAT}: ${what}, ours / bare`, mine / least, 'times', held),
    ];
  };
  const cpu = ({ cpuMsPerThousand }: Round) => cpuMsPerThousand;
  return [
    ...both('processor time of 1,000 updates', 'ms', cpu, { atMost: MAX_CPU_RATIO }),
    ...both('lag p50', 'ms', ({ p50 }) => p50, {}),
    // Whatever else the machine does in a moment holds up an update for all its readers: of twenty updates in a round
    // one such would be the p99 of the round. So the gate is on the p99 of the update in the middle.
    ...both('lag p99 of an update, median', 'ms', ({ p99s }) => p99s, { atMost: MAX_LAG_RATIO }),
    ...both('lag p99 of a round, median', 'ms', ({ p99 }) => p99, { aim: MAX_LAG_RATIO }),
    ...both('memory of one', 'kB', ({ memory }) => (memory.residentMb * 1000) / CLIENTS, {
      atMost: MAX_MEMORY_RATIO,
    }),
    ...both('memory of one that is in use', 'kB', ({ memory }) => (memory.heldMb * 1000) / CLIENTS, {}),
  ];
}
