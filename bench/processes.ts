import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { controlOf } from '@/e2e/control';
import { type Dashboard, freePort, startDashboard } from '@/e2e/dashboard';

/** The key of the sandbox, and its services as the settings of a dashboard name them. */
export const KEY = 'sandbox-key';
export const logsOf = (sandbox: string) => ({
  LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
  LOGS_API_KEY: KEY,
});

/** A program beside the dashboard, at the first address that it printed. */
export type Program = { origin: string; pid: number; end(): Promise<void> };

export async function startProgram(args: string[], env: Record<string, string> = {}): Promise<Program> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  const ended = once(child, 'exit');
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    ended.then(([code]) => reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`)), reject);
  });
  const end = async () => {
    child.kill();
    await ended;
  };
  return { origin, pid: child.pid ?? 0, end };
}

/** The simulated services in a process of their own, so that what they cost is not counted as the dashboard's. */
export async function startSandbox(records: number): Promise<Program> {
  const env = { SANDBOX_PORT: '0', SANDBOX_RECORDS: String(records), SANDBOX_SEED: '' };
  const sandbox = await startProgram(['--import=tsx', 'sandbox/main.ts'], env);
  await controlOf(sandbox.origin).live();
  return sandbox;
}

export async function withDashboard<T>(
  settings: Record<string, string>,
  run: (dashboard: Dashboard) => Promise<T>,
): Promise<T> {
  const dashboard = await startDashboard(settings);
  try {
    return await run(dashboard);
  } finally {
    await dashboard.stop();
  }
}

/** What a process holds. Bytes, and counts. */
export type Inside = {
  /** The heap without compiled code: V8 goes on compiling for hours, whatever the program holds. */
  heapBytes: number;
  codeBytes: number;
  /** Buffers, which are not on the heap. */
  externalBytes: number;
  /** What keeps the process awake, by kind: timers, sockets, servers. */
  handles: Record<string, number>;
  /** Answers to requests, signals and timers that something still holds, also where they keep nothing awake. */
  answers: number;
  signals: number;
  timers: number;
  /** Listeners of the process itself, where a leak shows as a warning. */
  listeners: number;
};

export type OpenDashboard = Dashboard & {
  pid: number;
  lateMs(): Promise<number>;
  heldMb(): Promise<number>;
  inside(): Promise<Inside>;
};

/** What a process of ours has to be started with, so that it can be asked what only it knows. */
async function openness() {
  const port = String(await freePort());
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}/${path}`)).json();
  const heldMb = async (): Promise<number> => (await ask('held')) / 1e6;
  return { env: { NODE_OPTIONS: '--import=./bench/inside.mjs', BENCH_PORT: port }, ask, heldMb };
}

/** A dashboard that tells how late its event loop was since the last question (p99), and what its process holds. */
export async function startOpen(settings: Record<string, string>): Promise<OpenDashboard> {
  const { env, ask, heldMb } = await openness();
  const dashboard = await startDashboard({ ...settings, ...env });
  return {
    ...dashboard,
    pid: dashboard.process.pid ?? 0,
    heldMb,
    lateMs: () => ask('late'),
    inside: async () => ({ ...(await ask('')), ...heapOf(await ask('heap')) }),
  };
}

/** A program that tells what it holds. */
export async function startOpenProgram(args: string[]): Promise<Program & Pick<OpenDashboard, 'heldMb'>> {
  const { env, heldMb } = await openness();
  return { ...(await startProgram(args, env)), heldMb };
}

type HeapSnapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
};

/** Bytes of compiled code, with all that V8 keeps beside it, and of everything else on the heap. */
function heapOf({ snapshot, nodes }: HeapSnapshot): Pick<Inside, 'heapBytes' | 'codeBytes'> {
  const {
    node_fields: fields,
    node_types: [kinds],
  } = snapshot.meta;
  const kindAt = fields.indexOf('type');
  const sizeAt = fields.indexOf('self_size');
  let heapBytes = 0;
  let codeBytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = kinds[nodes[at + kindAt] ?? 0];
    const bytes = nodes[at + sizeAt] ?? 0;
    if (kind === 'code') codeBytes += bytes;
    else if (kind !== 'native') heapBytes += bytes;
  }
  return { heapBytes, codeBytes };
}

/** What a process holds in physical memory now, MB. */
export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1000;
}

/** The kernel counts the time of processes in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** How much time of a processor a process has had so far, all its threads together, ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process, in brackets, may hold spaces; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
