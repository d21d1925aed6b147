import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { controlOf } from '@/e2e/control';
import {
  KEY,
  logsOf,
  type ProbedDashboard,
  residentMb,
  startProbed,
  startSandbox,
  temporaryFolder,
  withCleanUp,
} from './processes';
import { type Figure, figure, report } from './report';
import { type SoakWorld, soak, type Tally } from './soak-load';

/** Every kind of page, call and fault occurs several times, and caches are full. */
const WARM_MS = 180_000;
/** Streams outlive their last reader by 30 s, unwatched data a minute, examined requests two minutes. */
const QUIET_MS = 150_000;
const PROGRESS_MS = 30_000;

/**
 * Shared caches keep the signal, timer and perhaps response of the request that filled them: a few objects in all.
 * Compiled code grows for hours, more and more slowly. Resident memory is only printed, because it is not always
 * returned.
 */
const MAX_GROWTH = {
  heapMb: 4,
  codeMb: 12,
  externalMb: 4,
  handles: 1,
  answers: 10,
  signals: 20,
  timers: 12,
  files: 6,
  sockets: 4,
  streams: 0,
  listeners: 0,
};

/** Growth of the database for each new row, and in any case. */
const ROW_MB = 0.004;
const MIN_MB = 16;

type Figures = Record<keyof typeof MAX_GROWTH | 'residentMb' | 'rows' | 'databaseMb', number>;

function openFiles(pid: number): { files: number; sockets: number } {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // The file was closed meanwhile.
      return [];
    }
  });
  return { files: links.length, sockets: links.filter((link) => link.startsWith('socket:')).length };
}

async function figuresOf(dashboard: ProbedDashboard, dataDir: string, sandbox: string): Promise<Figures> {
  const view = await fetch(`${dashboard.origin}/api/view/requests?size=25&range=all`);
  const { total } = (await view.json()) as { total: string };
  const bytes = readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
  const { heapBytes, codeBytes, externalBytes, handles, ...counts } = await dashboard.retained();
  const state = await (await fetch(`${sandbox}/control`)).json();
  const { services } = state as { services: { openStreams: number }[] };
  process.stdout.write(`Active handles: ${JSON.stringify(handles)}\n`);
  return {
    heapMb: heapBytes / 1e6,
    codeMb: codeBytes / 1e6,
    externalMb: externalBytes / 1e6,
    residentMb: residentMb(dashboard.pid),
    rows: Number(total),
    databaseMb: bytes / 1e6,
    handles: Object.values(handles).reduce((sum, count) => sum + count, 0),
    ...openFiles(dashboard.pid),
    streams: services.reduce((sum, { openStreams }) => sum + openStreams, 0),
    ...counts,
  };
}

function growthOf(before: Figures, after: Figures): Figure[] {
  const maxDatabaseMb = MIN_MB + (after.rows - before.rows) * ROW_MB;
  const limits: Partial<Figures> = { ...MAX_GROWTH, databaseMb: maxDatabaseMb };
  return (Object.keys(before) as (keyof Figures)[]).map((name) => {
    const growth = after[name] - before[name];
    return figure(`${name}: growth from ${Math.round(before[name])}`, growth, '', { atMost: limits[name] });
  });
}

function printProgress(pid: number, tally: Tally): NodeJS.Timeout {
  let peakMb = 0;
  const begunMs = Date.now();
  return setInterval(() => {
    const now = residentMb(pid);
    peakMb = Math.max(peakMb, now);
    const done = Object.entries(tally).map(([what, times]) => `${times} ${what}`);
    const seconds = Math.round((Date.now() - begunMs) / 1000);
    process.stdout.write(
      `${seconds} s: ${now.toFixed(0)} MB, at most ${peakMb.toFixed(0)}; ${done.join(', ')}\n`,
    );
  }, PROGRESS_MS);
}

async function measureGrowth(forS: number): Promise<Figure[]> {
  const { origin: sandbox } = await startSandbox(20_000);
  const dataDir = temporaryFolder();
  const dashboard = await startProbed({
    ...logsOf(sandbox),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    UPDATES_URL: `${sandbox}/updates`,
    UPGRADED_UPDATES_URL: `${sandbox}/upgraded/hermes`,
    UPDATES_API_KEY: KEY,
    ROUTER_URL: `${sandbox}/router`,
    ROUTER_API_KEY: KEY,
  });
  const directory = await fetch(`${dashboard.origin}/api/updates/v2/price_feeds`);
  const feeds = (await directory.json()) as { id: string }[];
  const ids = feeds.slice(0, 40).map(({ id }) => id);
  const load: SoakWorld = { origin: dashboard.origin, ids, control: controlOf(sandbox), tally: {} };
  process.stdout.write(`Warming up for ${WARM_MS / 1000} s, then ${forS} s with ${ids.length} feeds.\n`);
  await soak(load, WARM_MS);
  await pause(QUIET_MS);
  const before = await figuresOf(dashboard, dataDir, sandbox);
  load.tally = {};
  const progress = printProgress(dashboard.pid, load.tally);
  await soak(load, forS * 1000);
  clearInterval(progress);
  await pause(QUIET_MS);
  process.stdout.write(`${JSON.stringify(load.tally)}\n`);
  return growthOf(before, await figuresOf(dashboard, dataDir, sandbox));
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 };
const [, count = '', unit = ''] = /^(\d{1,4})(s|m|h)$/.exec(process.argv[2] ?? '10m') ?? [];
if (count === '') throw new Error('npm run soak takes a time such as 90s, 10m or 2h.');
const figures = await withCleanUp(() => measureGrowth(Number(count) * (UNITS[unit] ?? 0)));
process.exitCode = report(figures, 'soak.json') ? 0 : 1;
