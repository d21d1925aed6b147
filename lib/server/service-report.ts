import 'server-only';
import { callerOfFetch } from '@/lib/access/caller';
import { admit } from '@/lib/access/principal';
import type { Health, ServiceHealth } from '@/lib/core/health';
import type { ServiceName } from '@/lib/core/outcome';
import { builtInFeeds } from '@/lib/core/registry';
import type { HostReport, ServiceReport, ServicesReport } from '@/lib/core/service-report';
import type { HostStatus, HttpService, ServiceAddress } from '@/lib/upstream/http-service';
import { keySettingOf } from '@/lib/upstream/service-failure';
import { processWide } from './process-wide';
import { jsonReply } from './reply';
import type { Secret } from './secret';
import { readVersion, type Services, services, startedServices } from './services';
import { currentSettings } from './settings';
import { openHub } from './streams';

/** How the dashboard and its services are, without calling any of them. */
export function currentHealth(): Required<Health> {
  const started = startedServices();
  if (started === undefined) {
    const source = currentSettings().sandbox ? 'sandbox' : 'live';
    return { status: 'ok', version: readVersion(), source, services: {}, storage: 'memory' };
  }
  const { version, source, logs, updates, upgraded, router, index } = started;
  const keepers = [...logs].map(([keeper, { http }]) => [`logs:${keeper}`, healthOf(http)] as const);
  return {
    status: 'ok',
    version,
    source,
    storage: index.storage,
    services: {
      ...(keepers.length > 0 ? Object.fromEntries(keepers) : { 'logs:main': healthOf(undefined) }),
      updates: healthOf(updates?.http),
      upgraded: healthOf(upgraded?.http),
      router: healthOf(router?.http),
    },
  };
}

function healthOf(http: HttpService | undefined): ServiceHealth {
  const unknown = { ok: null, checkedAt: null, latencyMs: null };
  return { configured: http !== undefined, ...unknown, ...http?.lastCall() };
}

/** `GET /api/health`: that we are up, to anybody; how the services are, to those who may come in. */
export async function replyWithHealth(request: Request): Promise<Response> {
  const { services, storage, ...ours } = currentHealth();
  const entry = await admit(callerOfFetch(request));
  const response = jsonReply(entry.ok ? { ...ours, services, storage } : ours);
  if (entry.ok && entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

export type KnownHost = {
  label: string;
  service: ServiceName;
  http: HttpService;
  apiKey: Secret | undefined;
};

export function knownHosts({ logs, updates, upgraded, router, addresses }: Services): KnownHost[] {
  const keyOf = (keeper: string) => addresses.logs.find((one) => one.keeper === keeper)?.apiKey;
  const one = (service: ServiceName, http: HttpService | undefined, apiKey: Secret | undefined) =>
    http === undefined ? [] : [{ label: http.identity.label, service, http, apiKey }];
  return [
    ...[...logs].flatMap(([keeper, { http }]) => one('logs', http, keyOf(keeper))),
    ...one('updates', updates?.http, addresses.updates?.apiKey),
    ...one('upgraded', upgraded?.http, addresses.upgraded?.apiKey),
    ...one('router', router?.http, addresses.router?.apiKey),
    ...(router && router.symbolsHttp !== router.http
      ? one('router', router.symbolsHttp, addresses.router?.apiKey)
      : []),
  ];
}

type Host = KnownHost & { status: HostStatus };

/** What nothing happened of for so long is no longer told. */
const RECENT_MS = 3_600_000;

/** How every service is, without calling any; services without an address are named too. */
export function currentServicesReport(nowMs = Date.now()): ServicesReport {
  const all = services();
  const hosts = knownHosts(all).map((host): Host => ({ ...host, status: host.http.status() }));
  return {
    atMs: nowMs,
    startedAtMs: Math.round(performance.timeOrigin),
    source: all.source,
    access: all.settings.access.kind,
    services: ALL.flatMap((none): ServiceReport[] => {
      const found = hosts.filter(({ service }) => service === none.service);
      if (found.length === 0) return [none];
      return found.map((host) => {
        return { label: host.label, service: host.service, host: hostReport(host, found, nowMs) };
      });
    }),
  };
}

const ALL: readonly ServiceReport[] = [
  { label: 'logs:main', service: 'logs' },
  { label: 'updates', service: 'updates' },
  { label: 'upgraded', service: 'upgraded' },
  { label: 'router', service: 'router' },
];

/** @param others the hosts of the same service: those of one origin share a budget */
function hostReport(host: Host, others: readonly Host[], nowMs: number): HostReport {
  const { http, service, apiKey, status } = host;
  const { address, key, verdict, pause, calls, budget, streams, clock } = status;
  const { ok, kind, checkedAt, latencyMs } = http.lastCall();
  const isRecent = ({ lastAtMs }: { lastAtMs: number }) => nowMs - lastAtMs < RECENT_MS;
  const connection = openHub()?.connection;
  const sharing = others.filter((one) => one !== host && one.status.address.origin === address.origin);
  return {
    address: shownAddress(address),
    key: {
      state: key,
      setting: keySettingOf(http.identity),
      origin: key === 'none' ? undefined : apiKey?.origin?.(),
      verdict,
    },
    last: {
      state: ok === null ? 'none' : ok ? 'ok' : 'failed',
      kind,
      atMs: checkedAt === undefined ? undefined : Date.parse(checkedAt),
      latencyMs,
    },
    pause: pause && {
      kind: pause.kind,
      upstreamStatus: pause.upstreamStatus,
      untilMs: nowMs + pause.retryAfterS * 1000,
    },
    calls: {
      ...calls,
      failures: calls.failures.filter(isRecent),
      heldBack: calls.heldBack.filter(isRecent),
    },
    budget: { ...budget, sharedWith: sharing.map(({ label }) => label) },
    pagesStream:
      connection?.host === service
        ? { state: connection.state, sinceMs: connection.sinceMs, failure: connection.failure }
        : undefined,
    streams,
    clock,
  };
}

/** Some providers put a secret into the path of an address: only parts that are too short for one are shown. */
const LONGEST_SHOWN_PART = 16;

function shownAddress({ origin, prefix }: ServiceAddress): string {
  const parts = prefix.split('/').map((part) => (part.length <= LONGEST_SHOWN_PART ? part : '…'));
  return origin + parts.join('/');
}

type Check = { of: Services; beganAtMs: number; isRunning: boolean; done?: Promise<void> };
const lastCheck = processWide<Check>('service-check');

/** However many people press the button, each service is asked at most so often. */
const LEAST_GAP_MS = 2000;

/** Asks every service one cheap question at once; one check at a time, none right after another. Never fails. */
export async function checkServices(of = services(), now = Date.now): Promise<void> {
  const last = lastCheck.get();
  if (last?.of === of && (last.isRunning || now() - last.beganAtMs < LEAST_GAP_MS)) return last.done;
  const check: Check = { of, beganAtMs: now(), isRunning: true };
  check.done = Promise.all(smallestCalls(of)).then(() => {
    check.isRunning = false;
  });
  lastCheck.set(check);
  return check.done;
}

/** The smallest question that each service answers. One that it refuses with a reason shows as well that it works. */
function smallestCalls({ logs, updates, upgraded, router }: Services): (Promise<unknown> | undefined)[] {
  const hasOwnSymbols = router !== undefined && router.symbolsHttp !== router.http;
  return [
    ...[...logs.values()].map((client) => client.logs('limit=1', 'user')),
    updates?.latest(ONE_FEED, 'user'),
    upgraded?.latest(ONE_FEED, 'user'),
    router?.latestPrice(ONE_PRICE, 'user'),
    hasOwnSymbols ? router.symbols('', 'user') : undefined,
  ];
}

const ONE_FEED = new URLSearchParams([
  ['ids[]', builtInFeeds()[0]?.id ?? ''],
  ['ignore_invalid_price_ids', 'true'],
]).toString();

const ONE_PRICE = JSON.stringify({
  channel: 'fixed_rate@1000ms',
  priceFeedIds: [1],
  properties: ['price'],
  formats: [],
});
