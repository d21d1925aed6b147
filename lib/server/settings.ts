import 'server-only';
import { z } from 'zod';
import { parseFeedReference } from '@/lib/core/feed';
import { defaultFeeds } from '@/lib/core/registry';
import type { PendingThresholds } from '@/lib/pending/rules/thresholds';
import { type NetworkSettingsById, readNetworkSettings, readPendingThresholds } from './network-settings';
import { processWide } from './process-wide';
import {
  type Environment,
  readSecret,
  refuseSetting,
  type Secret,
  SettingsError,
  secretIsSet,
  settingOf,
} from './secret';
import { readServices, SERVICE_URLS, type ServiceAddresses } from './service-settings';

export { SettingsError };

/** Everything that the environment decides, read once at the start. Secrets are functions: no dump shows them. */
export type Settings = ServiceAddresses & {
  /** Without brackets, as `listen` takes it. */
  host: string;
  port: number;
  /**
   * Where the index of log rows lives, how many days back it reads (undefined: all), and the memory it may take. The
   * sandbox's lives in memory, whatever is said here.
   */
  index: { dataDir: string; historyDays?: number; memoryMb: number };
  /** Calls per second to each service host; bursts of ten times that. */
  callsPerSecond: { logs: number; updates: number; router: number };
  /** Present when the simulated services stand in for all of the real ones. A seed gives the same data again. */
  sandbox?: { port: number; seed: number; records: number };
  /** Feeds that the board shows at first: ids (64 hex digits) or symbols, as the operator wrote them. */
  feeds: string[];
  /** Feeds that are watched as long as the process lives: those that FEEDS names, none when it is not set. */
  standingFeeds: string[];
  networks: NetworkSettingsById;
  /** When a pending request counts as slow or stuck on networks that say nothing themselves; what is absent is usual. */
  pending: Partial<PendingThresholds>;
  /** Floors in seconds after which a feed counts as late, and as stale. */
  feedLateS: number;
  feedStaleS: number;
  maxStreams: number;
  maxStreamsPerClient: number;
  access: Access;
  /** Host names that are answered: lower case, no port, IPv6 in brackets. */
  allowedHosts: ReadonlySet<string>;
  metricsToken?: Secret;
  logLevel: LogLevel;
  /** Lines for the operator about settings that work but deserve a thought. */
  warnings: string[];
};

export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MOST_FEEDS = 100;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

const wholeNumber = (least: number, most: number, usual: number) => {
  const form = `a whole number from ${least} to ${most}`;
  const digits = z.string().regex(/^\d{1,10}$/, form);
  return digits.transform(Number).pipe(z.number().min(least, form).max(most, form)).default(usual);
};

const positiveNumber = (most: number, usual: number) => {
  const form = `a number above 0 and at most ${most}`;
  const digits = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, form);
  return digits.transform(Number).pipe(z.number().positive(form).max(most, form)).default(usual);
};

const daysOrAll = (most: number) => {
  const form = `a whole number of days from 1 to ${most}, or all`;
  const days = z.string().regex(/^(all|[1-9]\d{0,9})$/, form);
  const number = days.transform((text) => (text === 'all' ? undefined : Number(text)));
  return number.pipe(z.number().max(most, form).optional()).optional();
};

const oneOf = <const T extends readonly [string, ...string[]]>(words: T, usual: T[number]) =>
  z.enum(words, { error: `one of ${words.join(', ')}` }).default(usual);

const schema = z.object({
  HOST: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]|[0-9a-f:.]+)$/i, 'a host name or an IP address')
    .default('127.0.0.1'),
  PORT: wholeNumber(1, 65_535, 3000),
  LOGS_CALLS_PER_S: positiveNumber(100_000, 5),
  UPDATES_CALLS_PER_S: positiveNumber(100_000, 3),
  ROUTER_CALLS_PER_S: positiveNumber(100_000, 10),
  DATA_DIR: z.string().default('.keeperscope'),
  HISTORY_DAYS: daysOrAll(36_500),
  STORE_MEMORY_MB: wholeNumber(128, 1_048_576, 512),
  SANDBOX: oneOf(['auto', 'on', 'off'], 'auto'),
  SANDBOX_PORT: wholeNumber(0, 65_535, 4010),
  SANDBOX_SEED: wholeNumber(0, 4_294_967_295, 1),
  SANDBOX_RECORDS: wholeNumber(0, 1_000_000, 50_000),
  FEED_LATE_S: positiveNumber(86_400, 5),
  FEED_STALE_S: positiveNumber(604_800, 60),
  MAX_STREAMS: wholeNumber(1, 1_000_000, 5000),
  MAX_STREAMS_PER_CLIENT: wholeNumber(1, 1_000_000, 100),
  LOG_LEVEL: oneOf(LOG_LEVELS, 'info'),
});

/**
 * Reads and checks all settings.
 * @throws SettingsError with one line that names the variable and what it should look like, never its value
 */
export function readSettings(env: Environment): Settings {
  const access = readAccess(env);
  const plain = readPlain(env);
  const host = plain.HOST.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (access.kind === 'local' && !LOOPBACK.test(host)) {
    refuseSetting(
      'HOST should be a loopback address such as 127.0.0.1 unless ACCESS is password, proxy or open',
    );
  }
  if (plain.FEED_STALE_S < plain.FEED_LATE_S) refuseSetting('FEED_STALE_S should be at least FEED_LATE_S');
  const services = readServices(env);
  const networks = readNetworkSettings(env);
  const metricsToken = readSecret(env, 'METRICS_TOKEN');
  return {
    ...services,
    host,
    port: plain.PORT,
    callsPerSecond: {
      logs: plain.LOGS_CALLS_PER_S,
      updates: plain.UPDATES_CALLS_PER_S,
      router: plain.ROUTER_CALLS_PER_S,
    },
    index: {
      dataDir: plain.DATA_DIR,
      historyDays: plain.HISTORY_DAYS,
      memoryMb: plain.STORE_MEMORY_MB,
    },
    sandbox: standIn(env, plain.SANDBOX)
      ? { port: plain.SANDBOX_PORT, seed: plain.SANDBOX_SEED, records: plain.SANDBOX_RECORDS }
      : undefined,
    ...readFeeds(env),
    networks,
    pending: readPendingThresholds(env, networks),
    feedLateS: plain.FEED_LATE_S,
    feedStaleS: plain.FEED_STALE_S,
    maxStreams: plain.MAX_STREAMS,
    maxStreamsPerClient: plain.MAX_STREAMS_PER_CLIENT,
    access,
    allowedHosts: readAllowedHosts(env, host),
    metricsToken,
    logLevel: plain.LOG_LEVEL,
    warnings: warningsOf(access, host, metricsToken?.()),
  };
}

/** NIST SP 800-63B: what a password that stands alone should have at least. */
const SHORT_TOKEN = 15;

function warningsOf(access: Access, host: string, metricsToken: string | undefined): string[] {
  const isGuessable =
    access.kind !== 'local' && metricsToken !== undefined && metricsToken.length < SHORT_TOKEN;
  return [
    ...(access.kind === 'open' ? [openWarning(host)] : []),
    ...(isGuessable ? [`METRICS_TOKEN has fewer than ${SHORT_TOKEN} characters and may be guessed.`] : []),
  ];
}

function openWarning(host: string): string {
  return LOOPBACK.test(host)
    ? 'ACCESS=open: anyone on this machine can use the dashboard and the services behind it.'
    : 'ACCESS=open: anyone who reaches this port can use the dashboard and the services behind it, without signing in.';
}

function readPlain(env: Environment): z.output<typeof schema> {
  const set = Object.keys(schema.shape).map((name) => [name, settingOf(env, name)]);
  const parsed = schema.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return refuseSetting(`${String(issue?.path[0])} should be ${issue?.message}`);
}

/** Whether the sandbox stands in for the services. */
function standIn(env: Environment, choice: 'auto' | 'on' | 'off'): boolean {
  const named = SERVICE_URLS.find((name) => settingOf(env, name) !== undefined);
  if (choice === 'on' && named) {
    refuseSetting(`SANDBOX is on although ${named} is set: remove one of them, or set SANDBOX to auto`);
  }
  if (choice === 'off' && !named) {
    refuseSetting(
      'SANDBOX is off and no service is set: set LOGS_URL, UPDATES_URL or ROUTER_URL, or set SANDBOX to auto',
    );
  }
  return !named;
}

function readFeeds(env: Environment): Pick<Settings, 'feeds' | 'standingFeeds'> {
  const text = settingOf(env, 'FEEDS');
  if (text === undefined) return { feeds: defaultFeeds().map(({ symbol }) => symbol), standingFeeds: [] };
  const feeds = text.split(/[\s,]+/).filter((feed) => feed !== '');
  if (feeds.length === 0 || feeds.length > MOST_FEEDS || !feeds.every(isFeedName)) {
    refuseSetting(
      `FEEDS should be 1 to ${MOST_FEEDS} feed ids of 64 hex digits or symbols such as Crypto.BTC/USD, separated by commas`,
    );
  }
  const named = [...new Set(feeds)];
  return { feeds: named, standingFeeds: named };
}

function isFeedName(feed: string): boolean {
  const reference = parseFeedReference(feed);
  // Every symbol names a market or a pair; a short run of hex would be an id cut off.
  return reference?.kind === 'id' || (reference?.kind === 'symbol' && /[./]/.test(reference.symbol));
}

function readAllowedHosts(env: Environment, host: string): ReadonlySet<string> {
  const names = (settingOf(env, 'ALLOWED_HOSTS') ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const hosts = names.map((name) => {
    const [, bare] = /^([a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.exec(name) ?? [];
    return (
      bare?.toLowerCase() ??
      refuseSetting('ALLOWED_HOSTS should be host names separated by commas, such as dash.example.com')
    );
  });
  return new Set(['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host, ...hosts]);
}

/**
 * How a person gets in. `local`: whoever is on this machine, as it listens on loopback only. `password`: who knows it.
 * `proxy`: whom a reverse proxy names that shares a secret with us. `open`: anyone who reaches the port.
 */
export type Access =
  | { kind: 'local' }
  | { kind: 'open' }
  | { kind: 'password'; password: Secret; sessionSecret: Secret }
  | { kind: 'proxy'; userHeader: string; secretHeader: string; secret: Secret };

const KINDS = ['local', 'password', 'proxy', 'open'] as const;

/** NIST SP 800-63B: the least for a password that somebody chose. */
const SHORTEST_PASSWORD = 8;

/** As many characters as HS256 wants bytes of key (RFC 7518, 3.2). */
const SHORTEST_SECRET = 32;

/** A header name as RFC 9110 has it, in the case that Node gives. */
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

const BELONGS_TO: Readonly<Record<string, Access['kind']>> = {
  DASHBOARD_PASSWORD: 'password',
  SESSION_SECRET: 'password',
  PROXY_SECRET: 'proxy',
  PROXY_USER_HEADER: 'proxy',
  PROXY_SECRET_HEADER: 'proxy',
};

/** @throws SettingsError when something is missing, malformed, or set for another kind of access */
export function readAccess(env: Environment): Access {
  const named = settingOf(env, 'ACCESS') ?? 'local';
  const kind = KINDS.find((one) => one === named);
  if (kind === undefined) refuseSetting(`ACCESS should be one of ${KINDS.join(', ')}`);
  refuseStrays(env, kind);
  switch (kind) {
    case 'password':
      return {
        kind,
        password: needed(env, 'DASHBOARD_PASSWORD', SHORTEST_PASSWORD, 'phrase'),
        sessionSecret: needed(env, 'SESSION_SECRET', SHORTEST_SECRET),
      };
    case 'proxy':
      return {
        kind,
        userHeader: headerName(env, 'PROXY_USER_HEADER', 'x-forwarded-user'),
        secretHeader: headerName(env, 'PROXY_SECRET_HEADER', 'x-proxy-secret'),
        secret: needed(env, 'PROXY_SECRET', SHORTEST_SECRET),
      };
    default:
      return { kind };
  }
}

/** A password that nothing asks for is worse than none: its owner believes the door is locked. */
function refuseStrays(env: Environment, kind: Access['kind']): void {
  for (const [name, owner] of Object.entries(BELONGS_TO)) {
    if (owner !== kind && secretIsSet(env, name)) {
      refuseSetting(`${name} is set although ACCESS is ${kind}: set ACCESS to ${owner}, or remove ${name}`);
    }
  }
}

function needed(env: Environment, name: string, shortest: number, kind: 'key' | 'phrase' = 'key'): Secret {
  const secret = readSecret(env, name, undefined, kind);
  if (secret === undefined || (secret()?.length ?? 0) < shortest) {
    refuseSetting(
      `${name} should be at least ${shortest} ${kind === 'key' ? 'visible ' : ''}characters, or ${name}_FILE name a file with them`,
    );
  }
  return noShorter(secret, shortest);
}

/** A file may hold another secret later. One that is too short to start with does not come in by that way either. */
function noShorter(secret: Secret, shortest: number): Secret {
  let good = secret();
  const read = () => {
    const now = secret();
    if (now !== undefined && now.length >= shortest) good = now;
    return good;
  };
  return Object.assign(read, secret.origin ? { origin: secret.origin } : {});
}

function headerName(env: Environment, name: string, usual: string): string {
  const header = (settingOf(env, name) ?? usual).toLowerCase();
  return HEADER_NAME.test(header)
    ? header
    : refuseSetting(`${name} should be the name of a header, such as ${usual}`);
}

const kept = processWide<Settings>('settings');

/**
 * The settings this process runs with, read when first asked for. Apart from the services, so that the proxy and the
 * guard don't carry the clients along.
 * @throws SettingsError when they can't be used; the start has already ended the process then
 */
export function currentSettings(): Settings {
  const settings = kept.get() ?? readSettings(process.env);
  kept.set(settings);
  return settings;
}

/** Runs with these settings from now on; undefined means those of the environment. */
export function replaceSettings(settings: Settings | undefined): void {
  kept.set(settings);
}
