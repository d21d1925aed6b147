import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { shareSessions } from '@/lib/access/session';
import { type ClockOff, isClockOff } from '@/lib/core/health';
import type { ServiceName } from '@/lib/core/outcome';
import { realTimers } from '@/lib/core/timers';
import { IndexNotWritableError } from '@/lib/store/engine';
import type { IncidentStore } from '@/lib/store/incident-store';
import { type OpenOptions, openIncidents, openStore } from '@/lib/store/open';
import type { IndexStore } from '@/lib/store/store';
import type { SyncSource } from '@/lib/store/sync/keeper-sync';
import { IndexSync } from '@/lib/store/sync/sync';
import type { CallEvent } from '@/lib/upstream/call-record';
import { HttpService } from '@/lib/upstream/http-service';
import {
  createPriceRouterClient,
  createPriceUpdatesClient,
  type PriceRouterClient,
  type PriceUpdatesClient,
} from '@/lib/upstream/prices';
import { RateLimiter } from '@/lib/upstream/rate-limiter';
import { createRequestLogClient, type RequestLogClient } from '@/lib/upstream/request-log';
import type { RunningSandbox } from '@/sandbox/start';
import { log, logCall } from './log';
import { metrics } from './metrics';
import { processWide } from './process-wide';
import type { SecretOrigin } from './secret';

import { currentSettings, type ServiceAddresses, type ServiceSettings, type Settings } from './settings';

/** A client and the host it calls, which knows how the last call went. */
export type Connected<Client> = Client & { http: HttpService };

export type Services = {
  settings: Settings;
  source: 'live' | 'sandbox';
  /** Where each service is and which key it is called with: the settings', or the sandbox's. */
  addresses: ServiceAddresses;
  version: string;
  /** Names of the log services; the first is the default. Empty when there is none. */
  keepers: string[];
  logs: ReadonlyMap<string, Connected<RequestLogClient>>;
  index: IndexStore;
  incidents: IncidentStore;
  sync: IndexSync;
  updates?: Connected<PriceUpdatesClient>;
  upgraded?: Connected<PriceUpdatesClient>;
  /** `symbolsHttp` is the host of the symbol list, which may be another one. */
  router?: Connected<PriceRouterClient> & { symbolsHttp: HttpService };
  sandbox?: RunningSandbox;
  close: () => Promise<void>;
};

const running = processWide<Services>('services');
const closing = processWide<Promise<void>>('services-closing');

/** The services of this process. They are started before the first request; asking earlier is a bug. */
export function services(): Services {
  const started = running.get();
  if (!started) throw new Error('The services were asked for before they were started.');
  return started;
}

export function startedServices(): Services | undefined {
  return running.get();
}

export type StartOptions = Pick<OpenOptions, 'dataDir' | 'say' | 'onWait' | 'signal'>;

/** Makes the clients over sandbox and index; calls nothing yet. @throws IndexFileError where the index can't be used */
export async function startServices(
  settings: Settings = currentSettings(),
  options: StartOptions = {},
): Promise<Services> {
  await closeServices();
  const sandbox = settings.sandbox ? await runSandbox(settings.sandbox) : undefined;
  const addresses = sandbox ? sandboxAddresses(sandbox) : settings;
  const connected = connectServices(addresses, settings.callsPerSecond);
  const openOptions = {
    ...options,
    dataDir: sandbox ? undefined : options.dataDir,
    storeUrl: sandbox ? undefined : settings.index.storeUrl,
    // The engine keeps somewhat more than as much again beside its pages while it works.
    memoryMb: Math.max(128, Math.floor(settings.index.memoryMb * 0.35)),
    keepers: addresses.logs.map(({ keeper, url }) => ({ name: keeper, baseUrl: url })),
    now: sandbox?.running.now ?? Date.now,
  };
  const index = await openStore(openOptions);
  const incidents = await openIncidents(openOptions, index);
  const ownHosts = sandbox ? connectSandboxLogs(addresses, index, connected.logs) : new Map();
  const sync = new IndexSync({
    store: index,
    sources: [...connected.logs].map(([keeper, client]) =>
      syncSource(keeper, client, ownHosts.get(keeper), settings.callsPerSecond.logs),
    ),
    historyDays: settings.index.historyDays,
    onError: (error) => {
      // That nothing can be written is told once, by the index.
      if (!(error instanceof IndexNotWritableError)) {
        log().error({ error }, 'sync of the index failed, retrying');
      }
    },
  });
  shareSessions(index.shared);
  index.onLost = () => void sync.readAnew(0);
  sandbox?.running.onRewrite(async (order) => {
    if (order.endsWith('/reset')) await incidents.empty();
    await sync.readAnew(REWRITE_MS);
  });
  const started: Services = {
    ...connected,
    settings,
    addresses,
    index,
    incidents,
    sync,
    sandbox: sandbox?.running,
    source: sandbox ? 'sandbox' : 'live',
    version: readVersion(),
    keepers: [...connected.logs.keys()],
    close: async () => {
      await connected.close();
      await sync.close();
      await Promise.all([...ownHosts.values()].map(({ http }) => http.close()));
      await incidents.close();
      await index.close();
      await sandbox?.running.close();
    },
  };
  running.set(started);
  return started;
}

/** Keeps the index up to date: where other instances have it too, while this is the one that syncs. */
export function startSync({ index: { shared }, sync }: Services): void {
  if (shared === undefined) {
    sync.start();
    return;
  }
  shared.onLeader = (isLeader) => {
    log().info({}, isLeader ? 'this instance syncs the index' : 'this instance no longer syncs the index');
    if (isLeader) sync.start();
    else void sync.close();
  };
  shared.start();
}

/** Ends the connections and the sandbox, and gives the index up. Calls under way fail. */
export async function closeServices(): Promise<void> {
  const started = running.get();
  running.set(undefined);
  if (started) closing.set(started.close());
  await closing.get();
}

/** An order to the sandbox that rewrites the past waits so long for the index. */
const REWRITE_MS = 8000;
/** The sandbox of this process is asked without a budget. */
const NO_BUDGET = 100_000;

/** Clients of the index alone, for a sandbox of this process, whose clock is the index's. */
function connectSandboxLogs({ logs }: ServiceAddresses, index: IndexStore, clients: Services['logs']) {
  return new Map(
    logs.map(({ keeper, url: baseUrl, apiKey }): [string, Connected<RequestLogClient>] => {
      const about = { service: 'logs', label: `logs:${keeper}`, baseUrl, apiKey } as const;
      const { record } = clients.get(keeper)?.http ?? {};
      const http = new HttpService({ ...about, callsPerSecond: NO_BUDGET, now: () => index.now(), record });
      return [keeper, { ...createRequestLogClient(http), http }];
    }),
  );
}

/** A service in this process whose clock is off by less is right: it may run fast, and a call takes a moment. */
const SANDBOX_CLOCK_MS = 120_000;

/** @param own the client of the index alone, on a sandbox of this process */
function syncSource(
  keeper: string,
  client: Connected<RequestLogClient>,
  own: Connected<RequestLogClient> | undefined,
  callsPerSecond: number,
): SyncSource {
  const aheadMs = () => (own ?? client).http.status().clock?.offByMs;
  if (own === undefined) return { keeper, client, clockAheadMs: aheadMs, callsPerSecond };
  const clockAheadMs = () => {
    const ms = aheadMs() ?? 0;
    return Math.abs(ms) < SANDBOX_CLOCK_MS ? 0 : ms;
  };
  return { keeper, client: own, clockAheadMs, callsPerSecond: undefined };
}

type Sandbox = { running: RunningSandbox; key: string };

async function runSandbox(options: NonNullable<Settings['sandbox']>): Promise<Sandbox> {
  const { SANDBOX_KEY, startSandbox } = await import('@/sandbox/start');
  return { running: await startSandbox(options), key: SANDBOX_KEY };
}

function sandboxAddresses({ running, key }: Sandbox): ServiceAddresses {
  const sinceMs = Date.now();
  const origin = (): SecretOrigin => ({ kind: 'sandbox', sinceMs });
  const apiKey = Object.assign(() => key, { origin });
  const { logs, updates, upgraded, router } = running.addresses;
  return {
    logs: Object.entries(logs).map(([keeper, url]) => ({ keeper, url, apiKey })),
    updates: { url: updates, apiKey },
    upgraded: { url: upgraded, apiKey },
    router: { url: router, symbolsUrl: router, apiKey },
  };
}

/** Gives out one budget per service and host: what several keepers ask of one host comes out of one purse. */
export function budgetsByHost(): (service: string, url: string, callsPerSecond: number) => RateLimiter {
  const budgets = new Map<string, RateLimiter>();
  return (service, url, callsPerSecond) => {
    const key = `${service} ${new URL(url).origin}`;
    const budget = budgets.get(key) ?? new RateLimiter({ callsPerSecond, timers: realTimers });
    budgets.set(key, budget);
    return budget;
  };
}

function connectServices(
  addresses: ServiceAddresses,
  budgets: Settings['callsPerSecond'],
): Pick<Services, 'logs' | 'updates' | 'upgraded' | 'router' | 'close'> {
  const hosts: HttpService[] = [];
  const budgetOf = budgetsByHost();
  const observe = (event: CallEvent) => {
    metrics().observeCall(event);
    logCall(event);
  };
  const connect = (
    service: ServiceName,
    label: string,
    { url, apiKey, keySetting }: ServiceSettings,
    callsPerSecond: number,
  ) => {
    const budget = budgetOf(service, url, callsPerSecond);
    const about = { service, label, baseUrl: url, apiKey, keySetting };
    const host = new HttpService({ ...about, callsPerSecond, budget, observe });
    hosts.push(host);
    return host;
  };
  const priceUpdates = (service: 'updates' | 'upgraded') => {
    const address = addresses[service];
    const http = address && connect(service, service, address, budgets.updates);
    return http && { ...createPriceUpdatesClient(http), http };
  };
  const priceRouter = () => {
    const { router } = addresses;
    if (!router) return undefined;
    const http = connect('router', 'router', router, budgets.router);
    // Symbols may live on a host of their own, with a budget of its own.
    const apart = { ...router, url: router.symbolsUrl };
    const symbolsHttp =
      router.symbolsUrl === router.url ? http : connect('router', 'router:symbols', apart, budgets.router);
    return { ...createPriceRouterClient(http, symbolsHttp), http, symbolsHttp };
  };
  return {
    logs: new Map(
      addresses.logs.map(({ keeper, ...address }) => {
        const http = connect('logs', `logs:${keeper}`, address, budgets.logs);
        return [keeper, { ...createRequestLogClient(http), http }];
      }),
    ),
    updates: priceUpdates('updates'),
    upgraded: priceUpdates('upgraded'),
    router: priceRouter(),
    close: async () => void (await Promise.all(hosts.map((host) => host.close()))),
  };
}

export function readVersion(): string {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8'))).version;
  } catch {
    return 'unknown';
  }
}

/** Of these keepers, or of all, those by the dates of whose answers the clock of their service is far off ours. */
export function clocksOff(keepers: readonly string[] = services().keepers): ClockOff[] {
  const { logs, sandbox } = services();
  return keepers.flatMap((keeper) => {
    const dated = logs.get(keeper)?.http.status().clock?.offByMs ?? 0;
    // The clock of a sandbox in this process is known; it may have been set since its last answer.
    const offByMs = sandbox === undefined ? dated : sandbox.now() - Date.now();
    return isClockOff(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
