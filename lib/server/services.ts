import 'server-only';
import { Engine } from '@/lib/store/engine';
import { IndexStore } from '@/lib/store/store';
import type { HttpService } from '@/lib/upstream/http-service';
import type { PriceRouterClient } from '@/lib/upstream/price-router';
import type { PriceUpdatesClient } from '@/lib/upstream/price-updates';
import type { RequestLogClient } from '@/lib/upstream/request-log';
import type { RunningSandbox } from '@/sandbox/start';
import { currentSettings } from './current-settings';
import type { Settings } from './env';
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
  updates?: Connected<PriceUpdatesClient>;
  upgraded?: Connected<PriceUpdatesClient>;
  /** `symbolsHttp` is the host of the symbol list, which may be another one. */
  router?: Connected<PriceRouterClient> & { symbolsHttp: HttpService };
  sandbox?: RunningSandbox;
  close: () => Promise<void>;
};

const running = processWide<Services>('services');

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

/** Starts the sandbox where the settings want it, and makes the clients. Nothing calls a service yet. */
export async function startServices(settings: Settings = currentSettings()): Promise<Services> {
  await closeServices();
  const sandbox = settings.sandbox ? await runSandbox(settings.sandbox) : undefined;
  const addresses = sandbox ? sandboxAddresses(sandbox) : settings;
  const connected = connectServices(addresses, settings.callsPerSecond);
  const index = await openIndex(addresses);
  const started: Services = {
    ...connected,
    settings,
    addresses,
    index,
    sandbox: sandbox?.running,
    source: sandbox ? 'sandbox' : 'live',
    version: readVersion(),
    keepers: [...connected.logs.keys()],
    close: async () => {
      await connected.close();
      await index.close();
      await sandbox?.running.close();
    },
  };
  running.set(started);
  return started;
}

/** Ends the connections and the sandbox. Calls under way fail. */
export async function closeServices(): Promise<void> {
  const started = running.get();
  running.set(undefined);
  await started?.close();
}

async function openIndex({ logs }: ServiceAddresses): Promise<IndexStore> {
  const engine = await Engine.open({ memoryMb: 512 });
  const keepers = logs.map(({ keeper, url }) => ({ name: keeper, baseUrl: url }));
  return IndexStore.open(engine, { keepers, storage: 'memory', now: Date.now });
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
