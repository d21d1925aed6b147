import { setTimeout as sleep } from 'node:timers/promises';
import { controlOf } from '@/e2e/control';
import { median, percentile } from './load';
import { type ProbedDashboard, processorMs, residentMb, runAtEnd, startProbedProgram } from './processes';
import { type Figure, figure } from './report';
import { type ClientsReport, StreamClients } from './stream-clients';
import { StreamWitness } from './stream-witness';

/** Gates: ours against a bare fan-out of the same bytes. */
const MAX_CPU_RATIO = 1.3;
const MAX_LAG_RATIO = 1.5;
const MAX_MEMORY_RATIO = 2;

/** Fewer readers suffice for a quick check. */
const CLIENTS = Number(process.env.BENCH_STREAM_CLIENTS ?? 2000);
const ROUNDS = 3;
/** The warm-up loads and compiles the code. */
const FIRST_CLIENTS = 200;
const WARM_UP_MS = 2000;
const COUNTED_MS = 7000;

type Side = {
  pid: number;
  url: string;
  /** Unix ms of each update, by its number. */
  receivedMs(): Promise<Map<number, number>>;
  /** Physical memory after a garbage collection, MB. */
  memoryMb(): Promise<number>;
  /** Memory without readers, after the warm-up, in MB. */
  idleMb: number;
  rounds: Round[];
};

type Round = {
  cpuMsPerThousand: number;
  /** The ms within which 99 of 100 clients had an update, for each update. */
  p99s: number[];
  /** Memory beyond `idleMb`, MB. */
  memoryMb: number;
  lost: number;
};

/**
 * Many clients of the same `ids`, in turn on the dashboard and on a bare fan-out of its bytes. `sandbox` is the
 * origin of the price service, in a process of its own.
 */
export async function measureFanOut(
  dashboard: ProbedDashboard,
  sandbox: string,
  ids: readonly string[],
): Promise<Figure[]> {
  const control = controlOf(sandbox);
  await control.forgetCalls();
  const url = `${dashboard.origin}/api/feeds/stream?ids=${ids.join(',')}`;
  const witness = new StreamWitness();
  const clients = new StreamClients();
  runAtEnd(() => clients.close());
  runAtEnd(() => witness.close());
  await witness.open(url);
  const bare = await startProbedProgram(['bench/bare-fan-out.mjs', url]);
  const side = async (
    { pid, collectGarbage }: Pick<ProbedDashboard, 'pid' | 'collectGarbage'>,
    of: string,
    receivedMs: Side['receivedMs'],
  ): Promise<Side> => {
    await clients.open(of, FIRST_CLIENTS);
    await sleep(WARM_UP_MS);
    await clients.close();
    await sleep(WARM_UP_MS);
    const memoryMb = async () => {
      await collectGarbage();
      return residentMb(pid);
    };
    return { pid, url: of, receivedMs, memoryMb, idleMb: await memoryMb(), rounds: [] };
  };
  const ours = await side(dashboard, url, async () => witness.receivedMs);
  const base = await side(bare, `${bare.origin}/stream`, () => receivedBy(bare.origin));
  witness.watch();
  for (let index = 0; index < ROUNDS; index++) {
    base.rounds.push(await measureRound(base, clients));
    ours.rounds.push(await measureRound(ours, clients));
  }
  const opened = (await control.calls('updates', 'stream')).total;
  const lost = ours.rounds.reduce((sum, round) => sum + round.lost, 0);
  return [
    ...figuresOf(ours.rounds, base.rounds),
    figure(`${WHAT}: updates that a client missed or got twice, by number`, lost, '', { atMost: 0 }),
    figure(`${WHAT}: updates that never came, by slot`, witness.missed, '', { atMost: 0 }),
    figure(`${WHAT}: streams of the service opened in all`, opened, '', { atMost: 1, atLeast: 1 }),
  ];
}

async function receivedBy(bare: string): Promise<Map<number, number>> {
  const received = (await (await fetch(`${bare}/received`)).json()) as Record<string, number>;
  return new Map(Object.entries(received).map(([id, ms]) => [Number(id.split('.')[1]), ms]));
}

async function measureRound(side: Side, clients: StreamClients): Promise<Round> {
  await clients.open(side.url, CLIENTS);
  await sleep(WARM_UP_MS);
  clients.count();
  const before = processorMs(side.pid);
  await sleep(COUNTED_MS);
  const spentMs = processorMs(side.pid) - before;
  const report = clients.report();
  const memoryMb = (await side.memoryMb()) - side.idleMb;
  const lags = lagsOf(report, await side.receivedMs());
  await clients.close();
  await sleep(500);
  return {
    cpuMsPerThousand: spentMs / (lags.flat().length / 1000),
    p99s: lags.map((lag) => percentile(lag, 99)),
    memoryMb,
    lost: lostOf(report),
  };
}

function lagsOf({ arrivals }: ClientsReport, receivedMs: Map<number, number>): number[][] {
  return [...arrivals].map(([seq, times]) => {
    const received = receivedMs.get(seq);
    if (received === undefined) throw new Error(`no time of receipt for update ${seq}`);
    return times.map((time) => time - received);
  });
}

/** Lost or repeated updates. The first and the last may overlap the edges of the counted time, so they are skipped. */
function lostOf({ arrivals, wrong, live }: ClientsReport): number {
  const whole = [...arrivals].sort(([a], [b]) => a - b).slice(1, -1);
  const absent = whole.reduce((sum, [, { length }]) => sum + Math.abs(CLIENTS - length), 0);
  return wrong + absent + (CLIENTS - live);
}

const WHAT = `${CLIENTS} streams of 20 feeds`;

function figuresOf(ours: readonly Round[], bare: readonly Round[]): Figure[] {
  const ratio = (what: string, unit: string, of: (round: Round) => number | number[], atMost: number) => {
    const mine = median(ours.flatMap(of));
    const base = median(bare.flatMap(of));
    // Noise can exceed the memory of a few clients. A ratio of such figures is meaningless and fails its gate.
    const times = mine > 0 && base > 0 ? mine / base : Number.NaN;
    return [
      figure(`${WHAT}: ${what}, ours`, mine, unit),
      figure(`${WHAT}: ${what}, bare`, base, unit),
      figure(`${WHAT}: ${what}, ours / bare`, times, 'times', { atMost }),
    ];
  };
  const cpu = ({ cpuMsPerThousand }: Round) => cpuMsPerThousand;
  const memoryKb = ({ memoryMb }: Round) => (memoryMb * 1000) / CLIENTS;
  return [
    ...ratio('processor time of 1,000 updates', 'ms', cpu, MAX_CPU_RATIO),
    // A pause of the machine delays one update for all clients, which would be the p99 of a round.
    ...ratio('lag p99 of an update, median', 'ms', ({ p99s }) => p99s, MAX_LAG_RATIO),
    ...ratio('memory of one', 'kB', memoryKb, MAX_MEMORY_RATIO),
  ];
}
