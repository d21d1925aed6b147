import 'server-only';
import { callerOfFetch } from '@/lib/access/caller';
import { admit } from '@/lib/access/principal';
import type { Health, ServiceHealth } from '@/lib/core/health';
import type { Outcome, ServiceName } from '@/lib/core/outcome';
import { builtInFeeds } from '@/lib/core/registry';
import type {
  BudgetReport,
  CheckReport,
  HostReport,
  KeyReport,
  ServiceReport,
  ServicesReport,
} from '@/lib/core/service-report';
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
    return { status: 'ok', version: readVersion(), source, services: {} };
  }
  const { version, source, logs, updates, upgraded, router } = started;
  const keepers = [...logs].map(([keeper, { http }]) => [`logs:${keeper}`, healthOf(http)] as const);
  return {
    status: 'ok',
    version,
    source,
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
  const { services, ...ours } = currentHealth();
  const entry = await admit(callerOfFetch(request));
  const response = jsonReply(entry.ok ? { ...ours, services } : ours);
  if (entry.ok && entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** A host that is asked for a service, as the settings name it. */
export type KnownHost = {
  label: string;
  service: ServiceName;
  http: HttpService;
  apiKey: Secret | undefined;
};

/** Every host that has an address, in the order in which the pages name them. */
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

type LookedAt = KnownHost & { status: HostStatus };

/**
 * How every service is, without calling any: what this process has met since it started. Services without an address
 * are named too.
 */
export function currentServicesReport(nowMs = Date.now()): ServicesReport {
  const all = services();
  const hosts = knownHosts(all).map((host): LookedAt => ({ ...host, status: host.http.status() }));
  const checks = lastChecks(all);
  const reports = hosts.map((host): ServiceReport => {
    const { label, service } = host;
    return { label, service, host: hostReport(host, hosts, checks.get(label), nowMs) };
  });
  const configured = new Set(hosts.map(({ service }) => service));
  const missing = ALL.filter(({ service }) => !configured.has(service));
  return {
    atMs: nowMs,
    startedAtMs: Math.round(performance.timeOrigin),
    source: all.source,
    access: all.settings.access.kind,
    services: inOrder([...reports, ...missing]),
  };
}

const ALL: readonly ServiceReport[] = [
  { label: 'logs:main', service: 'logs' },
  { label: 'updates', service: 'updates' },
  { label: 'upgraded', service: 'upgraded' },
  { label: 'router', service: 'router' },
];

function inOrder(reports: readonly ServiceReport[]): ServiceReport[] {
  const place = ({ service }: ServiceReport) => ALL.findIndex((one) => one.service === service);
  return reports.toSorted((one, other) => place(one) - place(other));
}

function hostReport(
  host: LookedAt,
  hosts: readonly LookedAt[],
  check: CheckReport | undefined,
  nowMs: number,
): HostReport {
  const { http, status } = host;
  const { pause, calls, streams, clock } = status;
  return {
    address: shownAddress(status.address),
    key: keyReport(host),
    last: lastCallOf(http),
    pause: pause && {
      kind: pause.kind,
      upstreamStatus: pause.upstreamStatus,
      untilMs: nowMs + pause.retryAfterS * 1000,
    },
    budget: budgetReport(host, hosts),
    pagesStream: pagesStreamOf(host),
    ...{ calls, streams, clock, check },
  };
}

function lastCallOf(http: HttpService): HostReport['last'] {
  const { ok, kind, checkedAt, latencyMs } = http.lastCall();
  if (ok === null) return { state: 'none' };
  return {
    state: ok ? 'ok' : 'failed',
    kind,
    ...(checkedAt === undefined ? {} : { atMs: Date.parse(checkedAt) }),
    latencyMs,
  };
}

function keyReport({ http, apiKey, status: { key, verdict } }: LookedAt): KeyReport {
  return {
    state: key,
    setting: keySettingOf(http.identity),
    origin: key === 'none' ? undefined : apiKey?.origin?.(),
    verdict,
  };
}

/** Keepers on one host share a budget; so do their lines on the page. */
function budgetReport(host: LookedAt, hosts: readonly LookedAt[]): BudgetReport {
  const { service, status } = host;
  const others = hosts.filter(
    (one) => one !== host && one.service === service && one.status.address.origin === status.address.origin,
  );
  return { ...status.budget, sharedWith: others.map(({ label }) => label) };
}

function pagesStreamOf({ service }: KnownHost): HostReport['pagesStream'] {
  const connection = openHub()?.connection;
  if (connection === undefined || connection.host !== service) return undefined;
  const { state, sinceMs, failure } = connection;
  return { state, sinceMs, failure };
}

/** Some providers put a secret into the path of an address: only parts that are too short for one are shown. */
const LONGEST_SHOWN_PART = 16;

function shownAddress({ origin, prefix }: ServiceAddress): string {
  const parts = prefix.split('/').map((part) => (part.length <= LONGEST_SHOWN_PART ? part : '…'));
  return origin + parts.join('/');
}

type Checks = {
  of: Services;
  reports: Map<string, CheckReport>;
  /** The check that is under way. */
  running?: Promise<void>;
  /** When the last one began, unix ms. */
  beganAtMs: number;
};

const kept = processWide<Checks>('service-checks');

/** However many people press the button, each service is asked at most so often. */
const LEAST_GAP_MS = 2000;

/** The last answer of each service to a check, by label. Of services that were started again nothing is known. */
export function lastChecks(of: Services): ReadonlyMap<string, CheckReport> {
  return checksOf(of).reports;
}

function checksOf(of: Services): Checks {
  const known = kept.get();
  if (known?.of === of) return known;
  const fresh: Checks = { of, reports: new Map(), beganAtMs: Number.NEGATIVE_INFINITY };
  kept.set(fresh);
  return fresh;
}

/**
 * Asks every service one cheap question, all at once, as a user's call of the budget. Who asks while a check is under
 * way waits for that one; right after one nothing is asked anew. Never fails: the answers stand in `lastChecks`.
 */
export function checkServices(of: Services = services(), now: () => number = Date.now): Promise<void> {
  const checks = checksOf(of);
  if (checks.running) return checks.running;
  if (now() - checks.beganAtMs < LEAST_GAP_MS) return Promise.resolve();
  checks.beganAtMs = now();
  const questions = questionsFor(of).map(async ({ http, ask }) => {
    const { pause, calls } = http.status();
    const outcome = await ask();
    // A refusal of ours reads like the answer that led to it.
    const isMade = pause === undefined && http.status().calls.sent > calls.sent;
    checks.reports.set(http.identity.label, reportOf(outcome, isMade ? 'made' : 'held-back', now()));
  });
  checks.running = Promise.all(questions).then(() => {
    checks.running = undefined;
  });
  return checks.running;
}

type Question = { http: HttpService; ask: () => Promise<Outcome<unknown>> };

/** The smallest question that each service answers. One that it refuses with a reason shows as well that it works. */
function questionsFor({ logs, updates, upgraded, router }: Services): Question[] {
  const keepers = [...logs.values()].map((client) => ({
    http: client.http,
    ask: () => client.logs('limit=1', 'user'),
  }));
  const prices = [updates, upgraded].flatMap((client) =>
    client === undefined ? [] : [{ http: client.http, ask: () => client.latest(ONE_FEED, 'user') }],
  );
  if (router === undefined) return [...keepers, ...prices];
  const { http, symbolsHttp } = router;
  const symbols = { http: symbolsHttp, ask: () => router.symbols('', 'user') };
  return [
    ...keepers,
    ...prices,
    { http, ask: () => router.latestPrice(ONE_PRICE, 'user') },
    ...(symbolsHttp === http ? [] : [symbols]),
  ];
}

const ONE_FEED = new URLSearchParams([
  ['ids[]', builtInFeeds()[0]?.id ?? ''],
  ['ignore_invalid_price_ids', 'true'],
]).toString();

/** Every feed can be asked for on the slowest channel. */
const ONE_PRICE = JSON.stringify({
  channel: 'fixed_rate@1000ms',
  priceFeedIds: [1],
  properties: ['price'],
  formats: [],
});

function reportOf(outcome: Outcome<unknown>, call: CheckReport['call'], atMs: number): CheckReport {
  if (outcome.ok) return { atMs, outcome: 'ok', call: 'made' };
  const { kind, detail } = outcome.failure;
  const ours = kind === 'too-many' || kind === 'bad-request';
  return { atMs, outcome: kind, detail, call: ours ? 'held-back' : call };
}
