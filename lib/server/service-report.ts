import 'server-only';
import type { ServiceName } from '@/lib/core/outcome';
import type {
  BudgetReport,
  CheckReport,
  HostReport,
  KeyReport,
  ServiceReport,
  ServicesReport,
} from '@/lib/core/service-report';
import type { ServiceAddress } from '@/lib/upstream/call-request';
import type { HostStanding, HttpService } from '@/lib/upstream/http-service';
import { keySettingOf } from '@/lib/upstream/service-failure';
import type { Secret } from './secret';
import { lastChecks } from './service-check';
import { type Services, services } from './services';
import { openHub } from './streams';

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

type LookedAt = KnownHost & { standing: HostStanding };

/**
 * How every service is, without calling any: what this process has met since it started. Services without an address
 * are named too.
 */
export function currentServicesReport(nowMs = Date.now()): ServicesReport {
  const all = services();
  const hosts = knownHosts(all).map((host): LookedAt => ({ ...host, standing: host.http.standing() }));
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
  const { http, standing } = host;
  const { pause } = standing;
  const pages = pagesStreamOf(host);
  return {
    address: shownAddress(standing.address),
    key: keyReport(host),
    last: lastCallOf(http),
    ...(pause === undefined
      ? {}
      : {
          pause: {
            kind: pause.kind,
            upstreamStatus: pause.upstreamStatus,
            untilMs: nowMs + pause.retryAfterS * 1000,
          },
        }),
    calls: standing.calls,
    budget: budgetReport(host, hosts),
    streams: standing.streams,
    ...(pages === undefined ? {} : { pagesStream: pages }),
    ...(standing.clock === undefined ? {} : { clock: standing.clock }),
    ...(check === undefined ? {} : { check }),
  };
}

function lastCallOf(http: HttpService): HostReport['last'] {
  const { ok, kind, checkedAt, latencyMs } = http.lastCall();
  if (ok === null) return { state: 'none' };
  return {
    state: ok ? 'ok' : 'failed',
    ...(kind === undefined ? {} : { kind }),
    ...(checkedAt === undefined ? {} : { atMs: Date.parse(checkedAt) }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  };
}

function keyReport({ http, apiKey, standing: { key, verdict } }: LookedAt): KeyReport {
  const origin = key === 'none' ? undefined : apiKey?.origin?.();
  return {
    state: key,
    setting: keySettingOf(http.identity),
    ...(origin === undefined ? {} : { origin }),
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/** Keepers on one host share a budget; so do their lines on the page. */
function budgetReport(host: LookedAt, hosts: readonly LookedAt[]): BudgetReport {
  const { service, standing } = host;
  const others = hosts.filter(
    (one) =>
      one !== host && one.service === service && one.standing.address.origin === standing.address.origin,
  );
  return { ...standing.budget, sharedWith: others.map(({ label }) => label) };
}

function pagesStreamOf({ service }: KnownHost): HostReport['pagesStream'] {
  const connection = openHub()?.connection;
  if (connection === undefined || connection.host !== service) return undefined;
  const { state, sinceMs, failure } = connection;
  return { state, sinceMs, ...(failure === undefined ? {} : { failure }) };
}

/** Some providers put a secret into the path of an address: only parts that are too short for one are shown. */
const LONGEST_SHOWN_PART = 16;

function shownAddress({ origin, prefix }: ServiceAddress): string {
  const parts = prefix.split('/').map((part) => (part.length <= LONGEST_SHOWN_PART ? part : '…'));
  return origin + parts.join('/');
}
