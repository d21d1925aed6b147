import 'server-only';
import { type CallBudget, createCallBudget } from '@/lib/upstream/call-budget';
import type { CallEvent } from '@/lib/upstream/call-record';
import { createHttpService, type HttpService, type HttpServiceOptions } from '@/lib/upstream/http-service';
import { createPriceRouterClient } from '@/lib/upstream/price-router';
import { createPriceUpdatesClient } from '@/lib/upstream/price-updates';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { realTimers } from '@/lib/upstream/timers';
import type { Settings } from './env';
import { metrics } from './metrics';
import type { ServiceAddresses, ServiceSettings } from './service-settings';
import type { Services } from './services';
import { logCall } from './traffic-log';

type ServiceClients = Pick<Services, 'logs' | 'updates' | 'upgraded' | 'router' | 'close'>;

type Connect = (options: Omit<HttpServiceOptions, 'observe' | 'budget'>) => HttpService;

/** Gives out one budget per service and host: what several keepers ask of one host comes out of one purse. */
export function budgetsByHost(): (service: string, url: string, callsPerSecond: number) => CallBudget {
  const budgets = new Map<string, CallBudget>();
  return (service, url, callsPerSecond) => {
    const key = `${service} ${new URL(url).origin}`;
    const budget = budgets.get(key) ?? createCallBudget({ callsPerSecond, timers: realTimers });
    budgets.set(key, budget);
    return budget;
  };
}

/** One client per service that has an address, all observed by the metrics and the log. */
export function connectServices(
  addresses: ServiceAddresses,
  budgets: Settings['callsPerSecond'],
): ServiceClients {
  const hosts: HttpService[] = [];
  const budgetOf = budgetsByHost();
  const connect: Connect = (options) => {
    const budget = budgetOf(options.service, options.baseUrl, options.callsPerSecond);
    const observe = (event: CallEvent) => {
      metrics().observeCall(event);
      logCall(event);
    };
    const host = createHttpService({ ...options, budget, observe });
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
  return { ...createPriceRouterClient(http, symbols), http, symbolsHttp: symbols };
}
