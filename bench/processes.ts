import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { controlOf } from '@/e2e/control';
import * as e2e from '@/e2e/dashboard';

export const KEY = 'sandbox-key';
export const logsOf = (sandbox: string) => ({
  LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
  LOGS_API_KEY: KEY,
});

const MAX_SYNC_MS = 2 * 3_600_000;

const endings: (() => unknown)[] = [];

/** Ends a part of the current measurement: a process, a folder. */
export function runAtEnd(end: () => unknown): void {
  endings.push(end);
}

/** Afterwards, or if the run fails, ends everything that it started, the latest first. */
export async function withCleanUp<T>(run: () => Promise<T>): Promise<T> {
  const from = endings.length;
  try {
    return await run();
  } finally {
    for (const end of endings.splice(from).reverse()) await end();
  }
}

/** Removed when the measurement ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-bench-'));
  runAtEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `origin` is the first address that the program printed. */
type Program = { origin: string; pid: number };
type Dashboard = e2e.Dashboard;

export async function startProgram(args: string[], env: Record<string, string> = {}): Promise<Program> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  const ended = once(child, 'exit');
  const origin = await new Promise<string>((resolve, reject) => {
    let output = '';
    const onOutput = (chunk: Buffer) => {
      output += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    ended.then(([code]) => reject(new Error(`${args.join(' ')} ended with ${code}: ${output}`)), reject);
  });
  runAtEnd(async () => {
    child.kill();
    await ended;
  });
  return { origin, pid: child.pid ?? 0 };
}

/** Starts the services in a process of their own, so that their cost is not counted as the dashboard's. */
export async function startSandbox(records: number): Promise<Program> {
  const env = { SANDBOX_PORT: '0', SANDBOX_RECORDS: String(records), SANDBOX_SEED: '' };
  const sandbox = await startProgram(['--import=tsx', 'sandbox/main.ts'], env);
  await controlOf(sandbox.origin).live();
  return sandbox;
}

export async function startDashboard(settings: Record<string, string>): Promise<Dashboard> {
  const dashboard = await e2e.startDashboard(settings);
  runAtEnd(() => dashboard.stop());
  return dashboard;
}

type Retained = {
  /** Heap without compiled code, because V8 keeps compiling for hours. */
  heapBytes: number;
  codeBytes: number;
  /** Buffers outside of the heap. */
  externalBytes: number;
  /** Counts by kind: timers, sockets, servers. They keep the process alive. */
  handles: Record<string, number>;
  /** Live responses, abort signals and timers. */
  answers: number;
  signals: number;
  timers: number;
  /** Event listeners of the process itself. */
  listeners: number;
};

/** A dashboard with `bench/probe.mjs` in its process. */
export type ProbedDashboard = Dashboard & {
  pid: number;
  /** Delay of the event loop since the last call, p99 in ms. */
  lateMs(): Promise<number>;
  collectGarbage(): Promise<void>;
  retained(): Promise<Retained>;
};

async function probe() {
  const port = String(await e2e.freePort());
  const callProbe = async (path: string) => (await fetch(`http://127.0.0.1:${port}/${path}`)).json();
  const collectGarbage = (): Promise<void> => callProbe('gc');
  return { env: { NODE_OPTIONS: '--import=./bench/probe.mjs', BENCH_PORT: port }, callProbe, collectGarbage };
}

export async function startProbed(settings: Record<string, string>): Promise<ProbedDashboard> {
  const { env, callProbe, collectGarbage } = await probe();
  const dashboard = await startDashboard({ ...settings, ...env });
  return {
    ...dashboard,
    pid: dashboard.process.pid ?? 0,
    collectGarbage,
    lateMs: () => callProbe('late'),
    retained: async () => ({ ...(await callProbe('retained')), ...heapOf(await callProbe('heap')) }),
  };
}

export async function startProbedProgram(
  args: string[],
): Promise<Program & Pick<ProbedDashboard, 'collectGarbage'>> {
  const { env, collectGarbage } = await probe();
  return { ...(await startProgram(args, env)), collectGarbage };
}

/** Waits until every keeper is read to its beginning. Returns seconds. */
export async function untilSynced(origin: string): Promise<number> {
  const begunMs = performance.now();
  for (;;) {
    const answer = await fetch(`${origin}/api/view/requests?size=25`);
    const { index } = (await answer.json()) as { index?: { coversAll: boolean }[] };
    const spentMs = performance.now() - begunMs;
    if (index?.length && index.every(({ coversAll }) => coversAll)) return spentMs / 1000;
    if (spentMs > MAX_SYNC_MS) throw new Error('the index was not read in two hours');
    await pause(500);
  }
}

type HeapSnapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
};

function heapOf({ snapshot, nodes }: HeapSnapshot): Pick<Retained, 'heapBytes' | 'codeBytes'> {
  const {
    node_fields: fields,
    node_types: [kinds],
  } = snapshot.meta;
  const kindAt = fields.indexOf('type');
  const sizeAt = fields.indexOf('self_size');
  let heapBytes = 0;
  let codeBytes = 0;
  for (let index = 0; index < nodes.length; index += fields.length) {
    const kind = kinds[nodes[index + kindAt] ?? 0];
    const bytes = nodes[index + sizeAt] ?? 0;
    if (kind === 'code') codeBytes += bytes;
    else if (kind !== 'native') heapBytes += bytes;
  }
  return { heapBytes, codeBytes };
}

export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1000;
}

/** The kernel counts the time of processes in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** All threads together, so far. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process, in brackets, may hold spaces; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
