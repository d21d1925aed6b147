import 'server-only';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { shareSessions } from '@/lib/access/session';
import type { CallEvent } from '@/lib/core/call-event';
import { groupedBy } from '@/lib/core/grouped';
import { type ClockSkew, isClockSkewed } from '@/lib/core/health';
import type { ServiceName } from '@/lib/core/outcome';
import { realTimers } from '@/lib/core/timers';
import { log, logCall } from '@/lib/platform/log';
import { metrics } from '@/lib/platform/metrics';
import { processWide } from '@/lib/platform/process-wide';
import type { RpcAddress } from '@/lib/platform/rpc-urls';
import type { SecretOrigin } from '@/lib/platform/secret';
import {
  currentSettings,
  type ServiceAddresses,
  type ServiceSettings,
  type Settings,
} from '@/lib/platform/settings';
import { IndexClosedError, IndexNotWritableError } from '@/lib/store/engine';
import type { IncidentStore } from '@/lib/store/incident-store';
import { type OpenOptions, openIncidents, openStore } from '@/lib/store/open';
import type { IndexStore } from '@/lib/store/store';
import type { SyncSource } from '@/lib/store/sync/keeper-sync';
import { IndexSync } from '@/lib/store/sync/sync';
import { HttpService } from '@/lib/upstream/http-service';
import { createPriceRouterClient, createPriceUpdatesClient } from '@/lib/upstream/prices';
import { RateLimiter } from '@/lib/upstream/rate-limiter';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { createRevelationClient } from '@/lib/upstream/revelations';
import { createRpcEndpoint, type RpcEndpoint } from '@/lib/upstream/rpc';
import type { RunningSandbox } from '@/sandbox/thread';

export type Services = ReturnType<typeof connectServices> & {
  settings: Settings;
  source: 'live' | 'sandbox';
  version: string;
  /** The default one first. */
  keepers: string[];
  index: IndexStore;
  incidents: IncidentStore;
  sync: IndexSync;
  sandbox: RunningSandbox | undefined;
  close: () => Promise<void>;
};

/** Time for the sync to finish its write. */
const SYNC_CLOSE_MS = 1000;

const running = processWide<Services>('services');
const closing = processWide<Promise<void>>('services-closing');

/** @throws Error before `startServices` */
export function services(): Services {
  const started = running.get();
  if (!started) throw new Error('The services were used before they were started.');
  return started;
}

export const startedServices = running.get;

/** Calls no service. @throws IndexFileError if the index cannot be used */
export async function startServices(
  settings: Settings = currentSettings(),
  options: Pick<OpenOptions, 'dataDir' | 'say' | 'onWait' | 'signal'> = {},
): Promise<Services> {
  await closeServices();
  const sandbox = settings.sandbox && (await runSandbox(settings.sandbox));
  const addresses = sandbox?.addresses ?? settings;
  const connected = connectServices(addresses, settings.callsPerSecond);
  const { index, incidents } = await openStores({
    ...options,
    // The rows of a sandbox stay in memory.
    dataDir: sandbox ? undefined : options.dataDir,
    storeUrl: sandbox ? undefined : settings.index.storeUrl,
    memoryMb: settings.index.memoryMb,
    keepers: addresses.logs.map(({ keeper, url }) => ({ name: keeper, baseUrl: url })),
    now: sandbox?.running.now ?? Date.now,
  });
  const logs = [...connected.logs].map(([keeper, { http }]) => ({
    keeper,
    http: sandbox ? withoutBudget(http, index) : http,
  }));
  const sync = createSync(index, logs, settings, sandbox !== undefined);
  shareSessions(index.shared);
  index.onReplaced(() => void sync.resync(0));
  sandbox?.running.onRewrite(async (order) => {
    if (order.endsWith('/reset')) await incidents.empty();
    await sync.resync(REWRITE_MS);
  });
  const started: Services = {
    ...connected,
    settings,
    index,
    incidents,
    sync,
    sandbox: sandbox?.running,
    source: sandbox ? 'sandbox' : 'live',
    version: readVersion(),
    keepers: [...connected.logs.keys()],
    close: () => closeAll(started, logs),
  };
  running.set(started);
  return started;
}

async function openStores(options: OpenOptions) {
  const index = await openStore(options);
  return { index, incidents: await openIncidents(options, index) };
}

/** @param logs the services that the sync calls */
async function closeAll(started: Services, logs: readonly { http: HttpService }[]): Promise<void> {
  const { hosts, revelations, sync, incidents, index, sandbox } = started;
  const others = [...revelations.values(), ...logs].map(({ http }) => http);
  await Promise.all([...hosts, ...others].map((http) => http.close()));
  // A longer write is rolled back; its rows are read again after the next start.
  await Promise.race([sync.close(), pause(SYNC_CLOSE_MS, undefined, { ref: false })]);
  await incidents.close();
  await index.close();
  await sandbox?.close();
}

/** Creates the sync. For the sandbox it has no budget and ignores small clock differences. */
function createSync(
  index: IndexStore,
  logs: readonly { keeper: string; http: HttpService }[],
  settings: Settings,
  isSandbox: boolean,
): IndexSync {
  return new IndexSync({
    store: index,
    sources: logs.map(({ keeper, http }): SyncSource => {
      const aheadMs = () => http.status().clock?.offByMs;
      const nearest = (ms = 0) => (Math.abs(ms) < SANDBOX_CLOCK_MS ? 0 : ms);
      return {
        keeper,
        client: createRequestLogClient(http),
        clockAheadMs: isSandbox ? () => nearest(aheadMs()) : aheadMs,
        callsPerSecond: isSandbox ? undefined : settings.callsPerSecond.logs,
      };
    }),
    historyDays: settings.index.historyDays,
    onError: (error) => {
      // The index reports once that it is not writable. A closed index is not an error.
      if (error instanceof IndexNotWritableError || error instanceof IndexClosedError) return;
      log().error({ error }, 'sync of the index failed, retrying');
    },
  });
}

/** Starts the sync. If several instances share the index, this one syncs while it is the leader. */
export function startSync({ index: { shared }, sync }: Services): void {
  if (shared === undefined) {
    sync.start();
    return;
  }
  shared.start((isLeader) => {
    log().info({}, isLeader ? 'this instance syncs the index' : 'this instance no longer syncs the index');
    if (isLeader) sync.start();
    else void sync.close();
  });
}

/** Running calls fail. */
export async function closeServices(): Promise<void> {
  const started = running.get();
  running.set(undefined);
  if (started) closing.set(started.close());
  await closing.get();
}

/** Wait of a sandbox command that rewrites the past for the index. */
const REWRITE_MS = 8000;
const NO_BUDGET = 100_000;
/** A person would not wait longer for a node. */
const RPC_MS = 5000;
const NO_KEY = () => undefined;
/** Ignored difference. A sandbox's clock may run fast, and a call takes time. */
const SANDBOX_CLOCK_MS = 120_000;

/** The service without a call budget, for the index of a sandbox in this process, which shares the index's clock. */
function withoutBudget({ options, record }: HttpService, index: IndexStore): HttpService {
  const now = () => index.now();
  return new HttpService({ ...options, record, now, callsPerSecond: NO_BUDGET, budget: undefined });
}

async function runSandbox(options: NonNullable<Settings['sandbox']>) {
  const { SANDBOX_KEY, startSandbox } = await import('@/sandbox/thread');
  const running = await startSandbox(options);
  const sinceMs = Date.now();
  const origin = (): SecretOrigin => ({ kind: 'sandbox', sinceMs });
  const apiKey = Object.assign(() => SANDBOX_KEY, { origin });
  const { logs, updates, upgraded, router, rpc } = running.addresses;
  const addresses: ServiceAddresses = {
    logs: Object.entries(logs).map(([keeper, url]) => ({ keeper, url, apiKey })),
    updates: { url: updates, apiKey },
    upgraded: { url: upgraded, apiKey },
    router: { url: router, symbolsUrl: router, apiKey },
    rpc: Object.entries(rpc).map(([networkId, url]) => {
      const { origin, pathname } = new URL(url);
      return { networkId, origin, target: pathname };
    }),
  };
  return { running, addresses };
}

/** Keepers on the same host share a budget. */
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
  { logs, updates, upgraded, router, rpc }: ServiceAddresses,
  budgets: Settings['callsPerSecond'],
) {
  const hosts: HttpService[] = [];
  const budgetOf = budgetsByHost();
  const observe = (event: CallEvent) => {
    metrics().observeCall(event);
    logCall(event);
  };
  const connect = (
    service: ServiceName,
    { url: baseUrl, apiKey, keySetting }: ServiceSettings,
    callsPerSecond: number,
    label: string = service,
  ) => {
    const budget = budgetOf(service, baseUrl, callsPerSecond);
    const http = new HttpService({
      service,
      label,
      baseUrl,
      apiKey,
      keySetting,
      callsPerSecond,
      budget,
      observe,
    });
    hosts.push(http);
    return http;
  };
  const connectRouter = ({ symbolsUrl, ...address }: NonNullable<typeof router>) => {
    const http = connect('router', address, budgets.router);
    if (symbolsUrl === address.url) return createPriceRouterClient(http, http);
    // Symbols on another host have a separate budget.
    const symbolsAddress = { ...address, url: symbolsUrl };
    return createPriceRouterClient(http, connect('router', symbolsAddress, budgets.router, 'router:symbols'));
  };
  const nodes = connectNodes(rpc, budgets.rpc, observe);
  hosts.push(...nodes.hosts);
  return {
    hosts,
    /** Nodes by network, in the order of attempts. Networks on the same host share its budget and health. */
    rpc: groupedBy(nodes.endpoints, ({ networkId }) => networkId),
    /** Clients by keeper, for numbers that are not revealed yet. */
    revelations: new Map(
      logs.map((address) => {
        const budget = budgetOf('logs', address.url, budgets.logs);
        return [address.keeper, connectRevelations(address, budgets.logs, budget, observe)];
      }),
    ),
    logs: new Map(
      logs.map(({ keeper, ...address }) => [
        keeper,
        createRequestLogClient(connect('logs', address, budgets.logs, `logs:${keeper}`)),
      ]),
    ),
    updates: updates && createPriceUpdatesClient(connect('updates', updates, budgets.updates)),
    upgraded: upgraded && createPriceUpdatesClient(connect('upgraded', upgraded, budgets.updates)),
    router: router && connectRouter(router),
  };
}

/** A person waits for these numbers, so a call may take only as long as one of a node. */
function connectRevelations(
  { keeper, url: baseUrl, apiKey, keySetting }: ServiceAddresses['logs'][number],
  callsPerSecond: number,
  budget: RateLimiter,
  observe: (event: CallEvent) => void,
) {
  const http = new HttpService({
    service: 'logs',
    label: `logs:${keeper}`,
    baseUrl,
    apiKey,
    keySetting,
    callsPerSecond,
    budget,
    headersTimeoutMs: RPC_MS,
    totalTimeoutMs: RPC_MS,
    observe,
  });
  return createRevelationClient(http);
}

/** Addresses on the same host share its connection, budget and health. */
function connectNodes(
  addresses: readonly RpcAddress[],
  callsPerSecond: number,
  observe: (event: CallEvent) => void,
) {
  const hosts = new Map<string, HttpService>();
  const limits = { callsPerSecond, headersTimeoutMs: RPC_MS, totalTimeoutMs: RPC_MS, observe };
  const endpoints = addresses.map(({ networkId, origin, target }) => {
    const label = `rpc:${new URL(origin).host}`;
    const httpOptions = {
      service: 'rpc',
      label,
      baseUrl: origin,
      apiKey: NO_KEY,
      keySetting: 'RPC_URLS',
    } as const;
    const http = hosts.get(origin) ?? new HttpService({ ...httpOptions, ...limits });
    hosts.set(origin, http);
    return createRpcEndpoint(http, networkId, target);
  });
  return { hosts: hosts.values(), endpoints };
}

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  return version;
}

/** Lead of the keeper's clock by the dates of its answers; 0 if the difference is small. */
export function answersAheadMs(keeper: string): number {
  const offByMs = Math.round(services().logs.get(keeper)?.http.status().clock?.offByMs ?? 0);
  return isClockSkewed(offByMs) ? offByMs : 0;
}

/**
 * Delay of a node's clock by the dates of its answers. 0 if small, and for a sandbox, whose chain uses the clock of the
 * index.
 */
export function nodeBehindMs({ http }: RpcEndpoint, { sandbox }: Pick<Services, 'sandbox'>): number {
  const offByMs = Math.round(http.status().clock?.offByMs ?? 0);
  return sandbox === undefined && offByMs < 0 && isClockSkewed(offByMs) ? -offByMs : 0;
}

/** Rows of these keepers are dated by a clock that differs noticeably from ours. */
export function skewedClocks(keepers: readonly string[] = services().keepers): ClockSkew[] {
  const { index, sandbox } = services();
  return keepers.flatMap((keeper) => {
    if (sandbox === undefined) {
      const offByMs = index.reads.clockAheadMs(keeper);
      return offByMs === 0 ? [] : [{ keeper, offByMs }];
    }
    // A sandbox's clock is known exactly, and may have been set since its last answer.
    const offByMs = sandbox.now() - Date.now();
    return isClockSkewed(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
