import 'server-only';
import { createHttpService, type HttpService, type HttpServiceOptions } from '@/lib/upstream/http-service';
import { createPriceRouterClient } from '@/lib/upstream/price-router';
import { createPriceUpdatesClient } from '@/lib/upstream/price-updates';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import type { Settings } from './env';
import { metrics } from './metrics';
import type { ServiceAddresses, ServiceSettings } from './service-settings';
import type { Services } from './services';

type ServiceClients = Pick<Services, 'logs' | 'updates' | 'upgraded' | 'router' | 'close'>;

type Connect = (options: Omit<HttpServiceOptions, 'observe'>) => HttpService;

/** One client per service that has an address, all observed by the metrics. */
export function connectServices(
  addresses: ServiceAddresses,
  budgets: Settings['callsPerSecond'],
): ServiceClients {
  const hosts: HttpService[] = [];
  const connect: Connect = (options) => {
    const host = createHttpService({ ...options, observe: (event) => metrics().observeCall(event) });
    hosts.push(host);
    return host;
  };
  return {
    logs: connectLogs(connect, addresses.logs, budgets.logs),
    updates: connectUpdates(connect, 'updates', addresses.updates, budgets.updates),
    upgraded: connectUpdates(connect, 'upgraded', addresses.upgraded, budgets.updates),
    router: connectRouter(connect, addresses.router, budgets.router),
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

function connectLogs(
  connect: Connect,
  keepers: ServiceAddresses['logs'],
  callsPerSecond: number,
): Services['logs'] {
  return new Map(
    keepers.map(({ keeper, url, apiKey, keySetting }) => {
      const label = `logs:${keeper}`;
      const http = connect({ service: 'logs', label, baseUrl: url, apiKey, keySetting, callsPerSecond });
      return [keeper, { ...createRequestLogClient(http), http }];
    }),
  );
}

function connectUpdates(
  connect: Connect,
  service: 'updates' | 'upgraded',
  address: ServiceSettings | undefined,
  callsPerSecond: number,
): Services['updates'] {
  if (!address) return undefined;
  const { url, apiKey, keySetting } = address;
  const http = connect({ service, label: service, baseUrl: url, apiKey, keySetting, callsPerSecond });
  return { ...createPriceUpdatesClient(http), http };
}

/** Symbols may live on a host of their own, with a budget of its own. */
function connectRouter(
  connect: Connect,
  address: ServiceAddresses['router'],
  callsPerSecond: number,
): Services['router'] {
  if (!address) return undefined;
  const { url, symbolsUrl, apiKey, keySetting } = address;
  const shared = { service: 'router', apiKey, keySetting, callsPerSecond } as const;
  const http = connect({ ...shared, label: 'router', baseUrl: url });
  const symbols =
    symbolsUrl === url ? http : connect({ ...shared, label: 'router:symbols', baseUrl: symbolsUrl });
  return { ...createPriceRouterClient(http, symbols), http };
}
