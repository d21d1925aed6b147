import { setMaxListeners } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { startPostgres } from '@/e2e/postgres-harness';
import { untilSynced } from './index-store';
import { percentile } from './load';
import { end, startSandbox } from './processes';
import type { Figure } from './report';

const BROWSERS = 500;
/** Each opens a page, or asks what a page asks, about so often. */
const PAGE_EVERY_MS = 40_000;
const BEFORE_MS = 15_000;
const MOST_BACK_MS = 2000;
/** By itself EventSource comes back after so long, unless the stream says otherwise. */
const COME_BACK_MS = 3000;
const PATHS = ['/', '/requests', '/pending', '/services', '/api/view/requests?size=50', '/api/view/pending'];

/** A proxy that asks its servers in turn, and the next one where a connection fails before an answer: nginx does no more. */
class TestProxy {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((asked, answer) => {
    this.#turn += 1;
    const first = this.#turn % this.#servers.length;
    this.#pass(asked, answer, [...this.#servers.slice(first), ...this.#servers.slice(0, first)]);
  });
  #servers: string[] = [];
  #turn = 0;

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set servers(servers: readonly Dashboard[]) {
    this.#servers = servers.map(({ origin }) => origin);
  }

  #pass(asked: IncomingMessage, answer: ServerResponse, [server, ...others]: readonly string[]): void {
    const passed = request(`${server}${asked.url}`, { agent: this.#agent, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
      got.once('error', () => answer.destroy());
    });
    passed.once('error', () => {
      if (answer.headersSent || answer.destroyed) answer.destroy();
      else if (others.length > 0) this.#pass(asked, answer, others);
      else answer.writeHead(502).end();
    });
    answer.once('close', () => passed.destroy());
    passed.end();
  }

  close(): void {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

type Seen = { pages: number; failed: Record<string, number>; backMs: number[]; open: number };

/** An EventSource, and somebody who opens pages beside it, until the signal. */
class Browser {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(
    private readonly origin: string,
    private readonly seen: Seen,
    private readonly signal: AbortSignal,
  ) {}

  /** @param path of its stream */
  async listen(path: string): Promise<void> {
    let lostMs: number | undefined;
    let comeBackMs = COME_BACK_MS;
    while (!this.signal.aborted) {
      await this.#read(path, (text) => {
        comeBackMs = Number(/retry: (\d+)/.exec(text)?.[1] ?? comeBackMs);
        if (!text.includes('data: ') || text.includes('event: refused')) return;
        if (lostMs !== undefined) this.seen.backMs.push(performance.now() - lostMs);
        lostMs = undefined;
      });
      lostMs ??= performance.now();
      await pause(comeBackMs, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  #read(path: string, onText: (text: string) => void): Promise<void> {
    return new Promise((resolve) => {
      const asked = get(this.origin + path, { agent: false, signal: this.signal }, (answer) => {
        this.seen.open += 1;
        answer
          .setEncoding('utf8')
          .on('data', onText)
          .on('error', () => undefined);
        answer.once('close', () => {
          this.seen.open -= 1;
          resolve();
        });
      });
      asked.once('error', () => resolve());
    });
  }

  async open(): Promise<void> {
    while (!this.signal.aborted) {
      await pause(Math.random() * 2 * PAGE_EVERY_MS, undefined, { signal: this.signal }).catch(
        () => undefined,
      );
      if (this.signal.aborted) break;
      const path = PATHS[Math.floor(Math.random() * PATHS.length)] ?? '/';
      const became = await this.#page(path);
      this.seen.pages += 1;
      if (became !== '200') this.seen.failed[became] = (this.seen.failed[became] ?? 0) + 1;
    }
    this.#agent.destroy();
  }

  /** @returns its status, or what kept it from being whole */
  #page(path: string): Promise<string> {
    return new Promise((resolve) => {
      const asked = get(this.origin + path, { agent: this.#agent }, (answer) => {
        answer.resume();
        answer.once('close', () => resolve(answer.complete ? String(answer.statusCode) : `${path} cut off`));
      });
      asked.once('error', (error: NodeJS.ErrnoException) => resolve(`${path} ${error.code}`));
    });
  }
}

/** How many rows the service, and the index, have of a keeper up to a moment. */
async function rowsOf(
  sandbox: string,
  origin: string,
  keeper: string,
  until: string,
): Promise<[number, number]> {
  const theirs = await fetch(`${sandbox}/logs/${keeper}/v1/logs?limit=1&max_timestamp=${until}`, {
    headers: { authorization: 'Bearer sandbox-key' },
  });
  const ours = await fetch(
    `${origin}/api/view/requests?size=25&keeper=${keeper}&from=2000-01-01T00:00:00.000Z&to=${until}`,
  );
  const { total_results } = (await theirs.json()) as { total_results: number };
  const { total } = (await ours.json()) as { total: string };
  return [Number(total_results), Number(total)];
}

/**
 * Two instances behind a proxy, one PostgreSQL, 500 browsers, and a rolling new version: beside each instance a new one
 * starts, then the old one is told to end. No page fails, no row is lost, streams are back within two seconds.
 */
export async function measureInstances(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const sandbox = await startSandbox(20_000);
  const proxy = new TestProxy();
  const origin = await proxy.open();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const key = 'sandbox-key';
  const settings = {
    ...{ LOGS_URL: `main=${sandbox.origin}/logs/main,test=${sandbox.origin}/logs/test`, LOGS_API_KEY: key },
    ...{ UPDATES_URL: `${sandbox.origin}/updates`, UPDATES_API_KEY: key, LOGS_CALLS_PER_S: '1000' },
    ...{ STORE_URL: postgres.url, MAX_STREAMS_PER_CLIENT: String(2 * BROWSERS), LOG_LEVEL: 'error' },
  };
  const instances = [await startDashboard(settings), await startDashboard(settings)];
  proxy.servers = instances;
  try {
    await untilSynced(origin);
    const feeds = (await (await fetch(`${origin}/api/updates/v2/price_feeds`)).json()) as { id: string }[];
    const ids = feeds.slice(0, 5).map(({ id }) => id);
    const streams = [`/api/feeds/stream?ids=${ids.join()}&max_per_s=1`, '/api/view/revisions'];
    const seen: Seen = { pages: 0, failed: {}, backMs: [], open: 0 };
    const browsers = Array.from({ length: BROWSERS }, (_, at) => {
      const browser = new Browser(origin, seen, ending.signal);
      return Promise.all([browser.listen(streams[at % 2] ?? ''), browser.open()]);
    });
    await pause(BEFORE_MS);
    const openBefore = seen.open;
    const endedMs: number[] = [];
    for (const at of instances.keys()) {
      const before = instances[at];
      instances[at] = await startDashboard(settings);
      proxy.servers = instances;
      await pause(BEFORE_MS);
      const beganMs = performance.now();
      await before?.stop();
      endedMs.push(performance.now() - beganMs);
      await pause(BEFORE_MS);
    }
    const until = new Date().toISOString();
    const [openAfter, { failed, pages, backMs }] = [seen.open, seen];
    let lost = Number.NaN;
    // The newest rows are read within seconds.
    for (let tries = 0; tries < 30 && lost !== 0; tries += 1) {
      const counts = await Promise.all(
        ['main', 'test'].map((keeper) => rowsOf(sandbox.origin, origin, keeper, until)),
      );
      lost = counts.reduce((sum, [theirs, ours]) => sum + Math.abs(theirs - ours), 0);
      if (lost !== 0) await pause(1000);
    }
    ending.abort();
    await Promise.all(browsers);
    const failures = Object.values(failed).reduce((sum, one) => sum + one, 0);
    if (failures > 0) process.stdout.write(`Failed: ${JSON.stringify(failed)}\n`);
    return [
      {
        what: 'rolling version, 500 browsers: streams open before',
        value: openBefore,
        unit: '',
        atLeast: BROWSERS,
      },
      { what: 'streams open after', value: openAfter, unit: '', atLeast: BROWSERS },
      { what: 'streams that were ended and came back', value: backMs.length, unit: '', atLeast: BROWSERS },
      { what: 'stream back, p50', value: percentile(backMs, 0.5), unit: 'ms' },
      { what: 'stream back, last', value: Math.max(...backMs), unit: 'ms', atMost: MOST_BACK_MS },
      { what: 'pages and questions', value: pages, unit: '' },
      { what: 'failed pages and questions', value: failures, unit: '', atMost: 0 },
      { what: 'lost rows', value: lost, unit: '', atMost: 0 },
      { what: 'an instance ends, longest', value: Math.max(...endedMs), unit: 'ms' },
    ];
  } finally {
    ending.abort();
    proxy.close();
    await Promise.all(instances.map((one) => one.stop()));
    await end(sandbox.child);
    await postgres.stop();
  }
}
