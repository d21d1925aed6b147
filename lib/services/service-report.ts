import 'server-only';
import { callerOfFetch } from '@/lib/access/caller';
import { admit } from '@/lib/access/principal';
import { jsonReply } from '@/lib/access/reply';
import type { Health, ServiceHealth } from '@/lib/core/health';
import { SERVICES, type ServiceName, type UpdateHost } from '@/lib/core/outcome';
import { builtInFeeds } from '@/lib/core/registry';
import { type HostReport, historySteps, type ServicesReport } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';
import { log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { currentSettings } from '@/lib/platform/settings';
import type { HttpService, ServiceAddress } from '@/lib/upstream/http-service';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import { keySettingOf } from '@/lib/upstream/service-failure';
import { readVersion, type Services, services, startedServices } from './services';

/** Calls no service. */
export function currentHealth(): Required<Health> {
  const { index, source, hosts, version = readVersion() } = startedServices() ?? {};
  const reported = hosts ? allServices(hosts).filter(({ label }) => label !== 'router:symbols') : [];
  return {
    status: 'ok',
    version,
    source: source ?? (currentSettings().sandbox ? 'sandbox' : 'live'),
    services: Object.fromEntries(reported.map(({ label, http }) => [label, healthOf(http)])),
    storage: index?.storage ?? 'memory',
    index: index?.engine.state ?? 'ok',
  };
}

/** Services without a URL are listed too, except for the RPC. */
function allServices(hosts: readonly HttpService[]) {
  return SERVICES.flatMap((service): { label: string; service: ServiceName; http?: HttpService }[] => {
    const serviceHosts = hosts.filter(({ options }) => options.service === service);
    // RPC nodes are optional, so an absent one is not reported.
    if (serviceHosts.length === 0 && service === 'rpc') return [];
    if (serviceHosts.length === 0) return [{ label: service === 'logs' ? 'logs:main' : service, service }];
    return serviceHosts.map((http) => ({ label: http.options.label, service, http }));
  });
}

function healthOf(http: HttpService | undefined): ServiceHealth {
  const { ok = null, kind, atMs, latencyMs = null, failingSinceMs, isStream } = http?.lastCall() ?? {};
  const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const checkedAt = isoOf(atMs) ?? null;
  const failingSince = isoOf(failingSinceMs);
  return { configured: http !== undefined, ok, kind, checkedAt, latencyMs, failingSince, isStream };
}

/** `GET /api/health`. Anybody can see that the dashboard is up; admitted callers also see the services. */
export async function replyWithHealth(request: Request): Promise<Response> {
  const { services, storage, index, ...ours } = currentHealth();
  const entry = await admit(callerOfFetch(request));
  const response = jsonReply(entry.ok ? { ...ours, services, storage, index } : ours);
  if (entry.ok && entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** Unix ms. Calls are counted from then. */
const startedAtMs = () => Math.round(performance.timeOrigin);

type PagesConnection = NonNullable<HostReport['pagesStream']> & { host?: UpdateHost };

/** Calls no service. Services without a URL are listed too. */
export function currentServicesReport(pages?: PagesConnection, nowMs = Date.now()): ServicesReport {
  const { hosts, source, settings } = services();
  return {
    atMs: nowMs,
    startedAtMs: startedAtMs(),
    source,
    access: settings.access.kind,
    services: allServices(hosts).map(({ label, service, http }) => {
      return { label, service, host: http && hostReport(http, hosts, pages, nowMs) };
    }),
  };
}

function hostReport(
  http: HttpService,
  hosts: readonly HttpService[],
  pages: PagesConnection | undefined,
  nowMs: number,
): HostReport {
  const { options, address } = http;
  const { key, verdict, pause, calls, budget, streams, clock } = http.status(nowMs);
  const { ok, ...last } = http.lastCall();
  const sharing = hosts.filter(
    (host) =>
      host !== http && host.options.service === options.service && host.address.origin === address.origin,
  );
  return {
    address: shownAddress(address),
    key: {
      state: key,
      setting: keySettingOf(options),
      verdict,
      origin: key === 'none' ? undefined : options.apiKey.origin?.(),
    },
    last: { state: ok === null ? 'none' : ok ? 'ok' : 'failed', ...last },
    pause: pause && {
      kind: pause.kind,
      upstreamStatus: pause.upstreamStatus,
      untilMs: nowMs + pause.retryAfterS * 1000,
    },
    calls,
    history: http.record.history.spans(nowMs, historySteps(startedAtMs(), nowMs).stepMs),
    recent: http.record.history.recent(),
    nextProbeAtMs:
      ok === false ? Math.max(probeDueMs(http), nowMs + (pause?.retryAfterS ?? 0) * 1000) : undefined,
    budget: { ...budget, sharedWith: sharing.map((host) => host.options.label) },
    pagesStream:
      pages?.host === options.service
        ? { state: pages.state, sinceMs: pages.sinceMs, failure: pages.failure }
        : undefined,
    streams,
    clock,
  };
}

/** Some providers put a secret into the path, but a part of at most this length cannot be one. */
const MAX_SHOWN_LENGTH = 16;

function shownAddress({ origin, prefix }: ServiceAddress): string {
  const parts = prefix.split('/').map((part) => (part.length <= MAX_SHOWN_LENGTH ? part : '…'));
  return origin + parts.join('/');
}

type Check = { deps: Services; nextAtMs: number; done: Promise<void> };
const lastCheck = processWide<Check>('service-check');

/** However many people press the button. */
const MIN_CHECK_GAP_MS = 2000;

/** Concurrent callers share one check, and a recent check is not repeated. Never fails. */
export async function checkServices(deps = services(), now = Date.now): Promise<void> {
  const last = lastCheck.get();
  if (last?.deps === deps && now() < last.nextAtMs) return last.done;
  const nextAtMs = now() + MIN_CHECK_GAP_MS;
  const probes = Promise.all(cheapestCalls(deps, 'user').map(({ call }) => call())).then(() => {
    check.nextAtMs = nextAtMs;
  });
  const check: Check = { deps, nextAtMs: Number.POSITIVE_INFINITY, done: probes };
  lastCheck.set(check);
  return probes;
}

/** Pause since the last call, also of a user. A refused key and a node, whose calls may be paid, get the longer one. */
const PROBE_GAP_MS = 30_000;
const LONG_PROBE_GAP_MS = MINUTE_MS;
/** Random, so that several dashboards do not probe in step. */
const PROBE_INTERVAL_MS = { min: 10_000, spread: 10_000 };

/** Unix ms, without regard to a pause that the service requested. */
function probeDueMs(http: HttpService): number {
  const { kind, atMs = 0 } = http.lastCall();
  const isLong = kind === 'unauthorized' || http.options.service === 'rpc';
  return atMs + (isLong ? LONG_PROBE_GAP_MS : PROBE_GAP_MS);
}

/** Skips services that requested a pause or were just called. Never fails. */
export async function probeFailingServices(deps = services(), now = Date.now): Promise<void> {
  const due = cheapestCalls(deps, 'background').filter(({ http }) => {
    return http.lastCall().ok === false && now() >= probeDueMs(http) && http.status().pause === undefined;
  });
  await Promise.all(due.map(({ call }) => call()));
}

/** Ends once the process has other services. */
export function scheduleProbe(deps: Services = services()): void {
  const waitMs = PROBE_INTERVAL_MS.min + Math.random() * PROBE_INTERVAL_MS.spread;
  setTimeout(() => {
    if (startedServices() !== deps) return;
    probeFailingServices(deps)
      .catch((error: unknown) => log().error({ error }, 'probing of services failed, retrying'))
      .finally(() => scheduleProbe(deps));
  }, waitMs).unref();
}

type CheapCall = { http: HttpService; call: () => Promise<unknown> };

/** A refusal with a reason also proves that the service works. */
function cheapestCalls(
  { logs, updates, upgraded, router, rpc }: Services,
  priority: CallPriority,
): CheapCall[] {
  const calls = [...logs.values()].map(({ http, logs: list }): CheapCall => {
    return { http, call: () => list('limit=1', priority) };
  });
  for (const host of [updates, upgraded])
    if (host) calls.push({ http: host.http, call: () => host.latest(ONE_FEED, priority) });
  for (const endpoint of [...rpc.values()].flat())
    calls.push({ http: endpoint.http, call: () => endpoint.call([], priority) });
  if (router === undefined) return calls;
  const { http, symbolsHttp } = router;
  calls.push({ http, call: () => router.latestPrice(ONE_PRICE, priority) });
  if (symbolsHttp !== http) calls.push({ http: symbolsHttp, call: () => router.symbols('', priority) });
  return calls;
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
