import { setMaxListeners } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';
import { KEY, logsOf, runAtEnd, startDashboard, startSandbox, untilSynced } from './processes';
import { type Figure, figure } from './report';

const BROWSERS = 500;
/** Mean interval in ms at which each browser opens a page or calls a route. */
const PAGE_EVERY_MS = 40_000;
const BEFORE_MS = 15_000;
const MAX_RECONNECT_MS = 2000;
/** Reconnection delay of EventSource without a `retry:` field. */
const RECONNECT_DELAY_MS = 3000;
const PATHS = ['/', '/requests', '/pending', '/services', '/api/view/requests?size=50', '/api/view/pending'];

/** Tries the next server when a connection fails before an answer, like nginx. */
async function startProxy(servers: readonly Dashboard[]) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const pass = (incoming: IncomingMessage, answer: ServerResponse, first: number, tried = 0) => {
    const { origin } = servers[(first + tried) % servers.length] as Dashboard;
    const passed = request(`${origin}${incoming.url}`, { agent, headers: incoming.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
      got.once('error', () => answer.destroy());
    });
    passed.once('error', () => {
      if (answer.headersSent || answer.destroyed) answer.destroy();
      else if (tried + 1 < servers.length) pass(incoming, answer, first, tried + 1);
      else answer.writeHead(502).end();
    });
    answer.once('close', () => passed.destroy());
    passed.end();
  };
  const server = createServer((incoming, answer) => pass(incoming, answer, turn++));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

type Seen = { pages: number; failed: Record<string, number>; backMs: number[]; open: number };
type World = { origin: string; seen: Seen; signal: AbortSignal };

const pauseOrEnd = (ms: number, signal: AbortSignal) =>
  pause(ms, undefined, { signal }).catch(() => undefined);

/** Resolves at the end of the answer with its status, or the reason why it is incomplete. */
function send(
  url: string,
  agent: Agent | false,
  onAnswer: (answer: IncomingMessage) => void,
  signal?: AbortSignal,
) {
  return new Promise<string>((resolve) => {
    const outgoing = get(url, { agent, signal }, (answer) => {
      onAnswer(answer.on('error', () => undefined));
      answer.once('close', () => resolve(answer.complete ? String(answer.statusCode) : 'cut off'));
    });
    outgoing.once('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
  });
}

/** Listens to a stream like an EventSource, until the signal. */
async function listen({ origin, seen, signal }: World, path: string): Promise<void> {
  let lostMs: number | undefined;
  let comeBackMs = RECONNECT_DELAY_MS;
  const onText = (text: string) => {
    comeBackMs = Number(/retry: (\d+)/.exec(text)?.[1] ?? comeBackMs);
    if (!text.includes('data: ') || text.includes('event: refused')) return;
    if (lostMs !== undefined) seen.backMs.push(performance.now() - lostMs);
    lostMs = undefined;
  };
  const open = (answer: IncomingMessage) => {
    seen.open += 1;
    answer.once('close', () => (seen.open -= 1));
    answer.setEncoding('utf8').on('data', onText);
  };
  while (!signal.aborted) {
    await send(origin + path, false, open, signal);
    lostMs ??= performance.now();
    await pauseOrEnd(comeBackMs, signal);
  }
}

async function openPages({ origin, seen, signal }: World): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (;;) {
    await pauseOrEnd(Math.random() * 2 * PAGE_EVERY_MS, signal);
    if (signal.aborted) break;
    const path = PATHS[Math.floor(Math.random() * PATHS.length)] ?? '/';
    const became = await send(origin + path, agent, (answer) => answer.resume());
    seen.pages += 1;
    if (became !== '200') seen.failed[`${path} ${became}`] = (seen.failed[`${path} ${became}`] ?? 0) + 1;
  }
  agent.destroy();
}

/** Rows of the service that the index lacks, up to a moment. */
async function lostRows(sandbox: string, origin: string, keeper: string, until: string): Promise<number> {
  const theirs = await fetch(`${sandbox}/logs/${keeper}/v1/logs?limit=1&max_timestamp=${until}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const span = `from=2000-01-01T00:00:00.000Z&to=${until}`;
  const ours = await fetch(`${origin}/api/view/requests?size=25&keeper=${keeper}&${span}`);
  const { total_results } = (await theirs.json()) as { total_results: number };
  const { total } = (await ours.json()) as { total: string };
  return Math.abs(total_results - Number(total));
}

/**
 * Rolling update of two instances on one PostgreSQL with 500 browsers: beside each a new one starts, then the old one
 * gets SIGTERM. No page fails, no row is lost, and streams are back within two seconds.
 */
export async function measureInstances(): Promise<Figure[]> {
  const postgres = await startPostgres();
  runAtEnd(() => postgres.stop());
  const sandbox = await startSandbox(20_000);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const settings = {
    ...logsOf(sandbox.origin),
    LOGS_CALLS_PER_S: '1000',
    UPDATES_URL: `${sandbox.origin}/updates`,
    UPDATES_API_KEY: KEY,
    STORE_URL: postgres.url,
    MAX_STREAMS_PER_CLIENT: String(2 * BROWSERS),
    LOG_LEVEL: 'error',
  };
  const instances = [await startDashboard(settings), await startDashboard(settings)];
  const proxy = await startProxy(instances);
  const { origin } = proxy;
  runAtEnd(() => {
    ending.abort();
    proxy.close();
  });
  await untilSynced(origin);
  const feeds = (await (await fetch(`${origin}/api/updates/v2/price_feeds`)).json()) as { id: string }[];
  const ids = feeds.slice(0, 5).map(({ id }) => id);
  const streams = [`/api/feeds/stream?ids=${ids.join()}&max_per_s=1`, '/api/view/revisions'];
  const seen: Seen = { pages: 0, failed: {}, backMs: [], open: 0 };
  const world = { origin, seen, signal: ending.signal };
  const browsers = Array.from({ length: BROWSERS }, (_, index) =>
    Promise.all([listen(world, streams[index % 2] ?? ''), openPages(world)]),
  );
  await pause(BEFORE_MS);
  const openBefore = seen.open;
  const endedMs: number[] = [];
  for (const at of instances.keys()) {
    const before = instances[at];
    instances[at] = await startDashboard(settings);
    await pause(BEFORE_MS);
    const beganMs = performance.now();
    await before?.stop();
    endedMs.push(performance.now() - beganMs);
    await pause(BEFORE_MS);
  }
  const until = new Date().toISOString();
  const openAfter = seen.open;
  const { failed, pages, backMs } = seen;
  let lost = Number.NaN;
  // The newest rows take seconds to be read.
  for (let tries = 0; tries < 30 && lost !== 0; tries += 1) {
    const lostOf = (keeper: string) => lostRows(sandbox.origin, origin, keeper, until);
    lost = (await lostOf('main')) + (await lostOf('test'));
    if (lost !== 0) await pause(1000);
  }
  ending.abort();
  await Promise.all(browsers);
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  if (failures > 0) process.stdout.write(`Failed: ${JSON.stringify(failed)}\n`);
  const all = { atLeast: BROWSERS };
  const none = { atMost: 0 };
  return [
    figure(`rolling version, ${BROWSERS} browsers: streams open before`, openBefore, '', all),
    figure('streams open after', openAfter, '', all),
    figure('streams that were ended and came back', backMs.length, '', all),
    figure('stream back, last', Math.max(...backMs), 'ms', { atMost: MAX_RECONNECT_MS }),
    figure('pages and questions', pages),
    figure('failed pages and questions', failures, '', none),
    figure('lost rows', lost, '', none),
    figure('an instance ends, longest', Math.max(...endedMs), 'ms'),
  ];
}
