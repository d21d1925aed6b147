import 'server-only';
import { IndexNotWritableError } from '@/lib/store/engine-faults';
import { openStore } from '@/lib/store/open';
import type { IndexStore } from '@/lib/store/store';
import { IndexSync, type SyncSource } from '@/lib/store/sync/sync';
import { createHttpService, type HttpService } from '@/lib/upstream/http-service';
import type { PriceRouterClient } from '@/lib/upstream/price-router';
import type { PriceUpdatesClient } from '@/lib/upstream/price-updates';
import { createRequestLogClient, type RequestLogClient } from '@/lib/upstream/request-log';
import type { RunningSandbox } from '@/sandbox/start';
import { currentSettings } from './current-settings';
import type { Settings } from './env';
import { log } from './log';
import { processWide } from './process-wide';
import type { SecretOrigin } from './secret';
import { connectServices } from './service-clients';
import type { ServiceAddresses } from './service-settings';
import { readVersion } from './version';

/** A client and the host it calls, which knows how the last call went. */
export type Connected<Client> = Client & { http: HttpService };

/** Everything that stands behind the dashboard. A service without a URL is absent. */
export type Services = {
  settings: Settings;
  source: 'live' | 'sandbox';
  /** Where each service is and which key it is called with: the settings', or the sandbox's. */
  addresses: ServiceAddresses;
  version: string;
  /** Names of the log services; the first is the default. Empty when there is none. */
  keepers: string[];
  logs: ReadonlyMap<string, Connected<RequestLogClient>>;
  /** Every log row of every keeper. Without a keeper it is empty. */
  index: IndexStore;
  /** Keeps the index up to date, once it is started. */
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

/** The same, undefined while they are not started. */
export function startedServices(): Services | undefined {
  return running.get();
}

export type StartOptions = {
  /** The folder of the index; without one, and on the sandbox, it lives in memory. */
  dataDir?: string;
  /** Told what an operator should know of the index, a line at a time. */
  say?: (line: string) => void;
  /** Another process has the index, and is waited for. */
  onWait?: () => void;
  /** Ends that. */
  signal?: AbortSignal;
};

/**
 * Starts the sandbox where the settings want it, opens the index and makes the clients. Nothing calls a service yet.
 * @throws IndexFileError where the index can't be used
 */
export async function startServices(
  settings: Settings = currentSettings(),
  options: StartOptions = {},
): Promise<Services> {
  await closeServices();
  const sandbox = settings.sandbox ? await runSandbox(settings.sandbox) : undefined;
  const addresses = sandbox ? sandboxAddresses(sandbox) : settings;
  const connected = connectServices(addresses, settings.callsPerSecond);
  const index = await openStore({
    ...options,
    dataDir: sandbox ? undefined : options.dataDir,
    memoryMb: settings.index.memoryMb,
    keepers: addresses.logs.map(({ keeper, url }) => ({ name: keeper, baseUrl: url })),
    now: sandbox?.running.now ?? Date.now,
  });
  const ownHosts = sandbox
    ? connectSandboxLogs(addresses, index)
    : new Map<string, Connected<RequestLogClient>>();
  const sync = new IndexSync({
    store: index,
    sources: [...connected.logs].map(([keeper, client]) =>
      syncSource(keeper, client, ownHosts.get(keeper), settings.callsPerSecond.logs),
    ),
    historyDays: settings.index.historyDays,
    onError: (error) => {
      // That nothing can be written is told once, by the index.
      if (!(error instanceof IndexNotWritableError)) {
        log().error({ error }, 'the sync of the index failed and goes on');
      }
    },
  });
  index.onLost = () => void sync.readAnew(0);
  sandbox?.running.onRewrite(() => sync.readAnew(REWRITE_MS));
  const started: Services = {
    ...connected,
    settings,
    addresses,
    index,
    sync,
    sandbox: sandbox?.running,
    source: sandbox ? 'sandbox' : 'live',
    version: readVersion(),
    keepers: [...connected.logs.keys()],
    close: async () => {
      await connected.close();
      await sync.close();
      await Promise.all([...ownHosts.values()].map(({ http }) => http.close()));
      await index.close();
      await sandbox?.running.close();
    },
  };
  running.set(started);
  return started;
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

function connectSandboxLogs(
  { logs }: ServiceAddresses,
  index: IndexStore,
): Map<string, Connected<RequestLogClient>> {
  return new Map(
    logs.map(({ keeper, url, apiKey }) => {
      const label = `logs:${keeper}`;
      const http = createHttpService({
        service: 'logs',
        label,
        baseUrl: url,
        apiKey,
        callsPerSecond: NO_BUDGET,
        now: () => index.now(),
      });
      return [keeper, { ...createRequestLogClient(http), http }];
    }),
  );
}

/** A service in this process whose clock is off by less is right: it may run fast, and a call takes a moment. */
const SANDBOX_CLOCK_MS = 120_000;

/** @param own the client of the index alone, for a sandbox of this process, whose clock is the index's */
function syncSource(
  keeper: string,
  client: Connected<RequestLogClient>,
  own: Connected<RequestLogClient> | undefined,
  callsPerSecond: number,
): SyncSource {
  const aheadMs = () => (own ?? client).http.standing().clock?.offByMs;
  if (own === undefined) return { keeper, client, clockAheadMs: aheadMs, callsPerSecond };
  const clockAheadMs = () => {
    const ms = aheadMs() ?? 0;
    return Math.abs(ms) < SANDBOX_CLOCK_MS ? 0 : ms;
  };
  return { keeper, client: own, clockAheadMs, callsPerSecond: undefined };
}

type Sandbox = { running: RunningSandbox; key: string };

/** Loaded only when wanted: a live dashboard carries no simulation. */
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
