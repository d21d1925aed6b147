import 'server-only';
import { z } from 'zod';
import { parseFeedReference } from '@/lib/core/feed';
import type { PendingThresholds } from '@/lib/core/pending-settings';
import { defaultFeeds } from '@/lib/core/registry';
import { checkThresholds, MAX_THRESHOLD_S, readNetworkSettings } from './network-settings';
import { processWide } from './process-wide';
import { parseRpcUrls, type RpcAddress } from './rpc-urls';
import {
  type Environment,
  readSecret,
  readSetting,
  refuseSetting,
  type Secret,
  type SecretKind,
  SettingsError,
  secretIsSet,
} from './secret';

export { SettingsError };

/** @param form for messages @param read returns undefined for any other text */
const setting = <T>(form: string, read: (text: string) => T | undefined) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `should be ${form}` });
    return z.NEVER;
  });

const amount = (form: string, digits: RegExp, min: number, max: number) =>
  setting(form, (text) => {
    const value = digits.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });

const wholeNumber = (min: number, max: number, fallback: number) =>
  amount(`a whole number from ${min} to ${max}`, /^\d{1,10}$/, min, max).default(fallback);

const positiveNumber = (max: number, what = 'a number') =>
  amount(`${what} above 0 and at most ${max}`, /^\d{1,9}(\.\d{1,6})?$/, Number.MIN_VALUE, max);

const oneOf = <const T extends readonly [string, ...string[]]>(words: T, fallback: T[number]) =>
  z.enum(words, { error: `should be one of ${words.join(', ')}` }).default(fallback);

/** RFC 9110, in lower case as Node gives it. */
const headerName = (fallback: string) =>
  setting(`the name of a header, such as ${fallback}`, (text) =>
    /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i.test(text) ? text.toLowerCase() : undefined,
  ).default(fallback);

const listOf = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '');

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
const URL_FORM = 'an http or https URL without user name, password, query or fragment';
const MAX_FEEDS = 100;

const url = setting(URL_FORM, parseUrl).optional();
const callsPerS = (fallback: number) => positiveNumber(100_000).default(fallback);
const thresholdS = positiveNumber(MAX_THRESHOLD_S, 'a number of seconds').optional();

/** Secrets are read apart. */
const TABLE = z.object({
  HOST: setting('a host name or an IP address', (text) =>
    /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]|[0-9a-f:.]+)$/i.test(text)
      ? text.replace(/^\[(.*)\]$/, '$1').toLowerCase()
      : undefined,
  ).default('127.0.0.1'),
  PORT: wholeNumber(1, 65_535, 3000),
  LOGS_URL: setting(
    `${URL_FORM}, or several as main=https://…,test=https://… with names of a-z, 0-9 and -, each its own and none ending in "file"`,
    parseKeepers,
  ).default([]),
  UPDATES_URL: url,
  UPGRADED_UPDATES_URL: url,
  ROUTER_URL: url,
  SYMBOLS_URL: url,
  LOGS_CALLS_PER_S: callsPerS(5),
  UPDATES_CALLS_PER_S: callsPerS(3),
  ROUTER_CALLS_PER_S: callsPerS(10),
  RPC_CALLS_PER_S: callsPerS(5),
  DATA_DIR: z.string().default('.keeperscope'),
  HISTORY_DAYS: setting('a whole number of days from 1 to 36500, or all', (text) =>
    text === 'all' || (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 36_500) ? text : undefined,
  ).default('all'),
  STORE_MEMORY_MB: wholeNumber(128, 1_048_576, 512),
  ALERT_WEBHOOK_FORMAT: oneOf(['json', 'slack'], 'json'),
  SANDBOX: oneOf(['auto', 'on', 'off'], 'auto'),
  SANDBOX_PORT: wholeNumber(0, 65_535, 4010),
  SANDBOX_SEED: wholeNumber(0, 4_294_967_295, 1),
  SANDBOX_RECORDS: wholeNumber(0, 1_000_000, 50_000),
  FEEDS: setting(
    `1 to ${MAX_FEEDS} feed ids of 64 hex digits or symbols such as Crypto.BTC/USD, separated by commas`,
    (text) => {
      const feeds = listOf(text);
      const isValid = feeds.length > 0 && feeds.length <= MAX_FEEDS && feeds.every(isFeedName);
      return isValid ? [...new Set(feeds)] : undefined;
    },
  ).optional(),
  PENDING_SLOW_S: thresholdS,
  PENDING_RETRY_S: thresholdS,
  PENDING_STUCK_S: thresholdS,
  FEED_LATE_S: positiveNumber(86_400).default(5),
  FEED_STALE_S: positiveNumber(604_800).default(60),
  MAX_STREAMS: wholeNumber(1, 1_000_000, 5000),
  MAX_STREAMS_PER_CLIENT: wholeNumber(1, 1_000_000, 100),
  ACCESS: oneOf(['local', 'password', 'proxy', 'open'], 'local'),
  PROXY_USER_HEADER: headerName('x-forwarded-user'),
  PROXY_SECRET_HEADER: headerName('x-proxy-secret'),
  ALLOWED_HOSTS: setting('host names separated by commas, such as dash.example.com', (text) => {
    const names = listOf(text).map((name) => HOST_NAME.exec(name)?.[1]?.toLowerCase());
    return names.every((name) => name !== undefined) ? names : undefined;
  }).default([]),
  LOG_LEVEL: oneOf(LOG_LEVELS, 'info'),
});
const HOST_NAME = /^([a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
type Plain = z.output<typeof TABLE>;

/** Settings, read once at the start. Secrets are functions, so that no dump shows them. */
export type Settings = ReturnType<typeof readSettings>;

/** @throws SettingsError that names the variable and what it should look like, but never its value */
export function readSettings(env: Environment) {
  const set = Object.keys(TABLE.shape).map((name) => [name, readSetting(env, name)]);
  const parsed = TABLE.safeParse(Object.fromEntries(set));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    refuseSetting(`${String(issue?.path[0])} ${issue?.message}`);
  }
  const plain = parsed.data;
  const access = readAccess(env, plain);
  const host = plain.HOST;
  if (access.kind === 'local' && !LOOPBACK.test(host)) {
    refuseSetting(
      'HOST should be a loopback address such as 127.0.0.1 unless ACCESS is password, proxy or open',
    );
  }
  if (plain.FEED_STALE_S < plain.FEED_LATE_S) refuseSetting('FEED_STALE_S should be at least FEED_LATE_S');
  const networks = readNetworkSettings(env);
  const pending: Partial<PendingThresholds> = {
    slowAfterS: plain.PENDING_SLOW_S,
    retryBudgetS: plain.PENDING_RETRY_S,
    stuckAfterS: plain.PENDING_STUCK_S,
  };
  checkThresholds(pending, networks);
  const metricsToken = readSecret(env, 'METRICS_TOKEN');
  const defaultHosts = ['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host];
  const index = {
    dataDir: plain.DATA_DIR,
    historyDays: plain.HISTORY_DAYS === 'all' ? undefined : Number(plain.HISTORY_DAYS),
    memoryMb: plain.STORE_MEMORY_MB,
    storeUrl: readSecret(env, 'STORE_URL', { kind: 'database' }),
  };
  return {
    ...readServices(env, plain),
    host,
    port: plain.PORT,
    callsPerSecond: {
      logs: plain.LOGS_CALLS_PER_S,
      updates: plain.UPDATES_CALLS_PER_S,
      router: plain.ROUTER_CALLS_PER_S,
      rpc: plain.RPC_CALLS_PER_S,
    },
    index,
    alertWebhook: readAlertWebhook(env, plain),
    sandbox: usesSandbox(env, plain)
      ? { port: plain.SANDBOX_PORT, seed: plain.SANDBOX_SEED, records: plain.SANDBOX_RECORDS }
      : undefined,
    /** Default of the board: ids (64 hex digits) or symbols, as the operator wrote them. */
    feeds: plain.FEEDS ?? defaultFeeds().map(({ symbol }) => symbol),
    /** Watched for the lifetime of the process; none if FEEDS is not set. */
    watchedFeeds: plain.FEEDS ?? [],
    networks,
    pending,
    feedLateS: plain.FEED_LATE_S,
    feedStaleS: plain.FEED_STALE_S,
    maxStreams: plain.MAX_STREAMS,
    maxStreamsPerClient: plain.MAX_STREAMS_PER_CLIENT,
    access,
    /** Host names in lower case, without port, IPv6 in brackets. */
    allowedHosts: new Set([...defaultHosts, ...plain.ALLOWED_HOSTS]),
    metricsToken,
    logLevel: plain.LOG_LEVEL,
    warnings: warningsOf(access, host, metricsToken?.()),
  };
}

/** Required by NIST SP 800-63B for a password as the only factor. */
const MIN_TOKEN_LENGTH = 15;

function warningsOf({ kind }: Access, host: string, metricsToken: string | undefined): string[] {
  const reach = LOOPBACK.test(host)
    ? 'anyone on this machine can use the dashboard and the services behind it.'
    : 'anyone who reaches this port can use the dashboard and the services behind it, without signing in.';
  const isShort = kind !== 'local' && metricsToken !== undefined && metricsToken.length < MIN_TOKEN_LENGTH;
  return [
    ...(kind === 'open' ? [`ACCESS=open: ${reach}`] : []),
    ...(isShort ? [`METRICS_TOKEN has fewer than ${MIN_TOKEN_LENGTH} characters and may be guessed.`] : []),
  ];
}

function readAlertWebhook(env: Environment, { ALERT_WEBHOOK_FORMAT: format }: Plain) {
  const url = readSecret(env, 'ALERT_WEBHOOK_URL', { kind: 'webhook' });
  if (url) return { url, format };
  if (readSetting(env, 'ALERT_WEBHOOK_FORMAT') !== undefined)
    refuseSetting('ALERT_WEBHOOK_FORMAT is set without ALERT_WEBHOOK_URL: set both, or neither');
  return undefined;
}

function usesSandbox(env: Environment, { SANDBOX }: Plain): boolean {
  const urls = ['LOGS_URL', 'UPDATES_URL', 'UPGRADED_UPDATES_URL', 'ROUTER_URL', 'SYMBOLS_URL'];
  const named = urls.find((name) => readSetting(env, name) !== undefined);
  if (SANDBOX === 'on' && named) {
    refuseSetting(`SANDBOX is on although ${named} is set: remove one of them, or set SANDBOX to auto`);
  }
  if (SANDBOX === 'off' && !named) {
    refuseSetting(
      'SANDBOX is off and no service is set: set LOGS_URL, UPDATES_URL or ROUTER_URL, or set SANDBOX to auto',
    );
  }
  return !named;
}

function isFeedName(feed: string): boolean {
  const reference = parseFeedReference(feed);
  // A symbol names a market or a pair. A short run of hex would be a truncated id.
  return reference?.kind === 'id' || (reference?.kind === 'symbol' && /[./]/.test(reference.symbol));
}

/** Callers on this machine, anyone, callers with the password, or users named by a proxy that has our secret. */
export type Access =
  | { kind: 'local' }
  | { kind: 'open' }
  | { kind: 'password'; password: Secret; sessionSecret: Secret }
  | { kind: 'proxy'; userHeader: string; secretHeader: string; secret: Secret };

/** Required by NIST SP 800-63B for a password that a person chose. */
const MIN_PASSWORD_LENGTH = 8;
/** Bytes. HS256 needs a key of 32 (RFC 7518, 3.2). */
const MIN_SECRET_LENGTH = 32;

const ACCESS_KIND_OF: Readonly<Record<string, Access['kind']>> = {
  DASHBOARD_PASSWORD: 'password',
  SESSION_SECRET: 'password',
  PROXY_SECRET: 'proxy',
  PROXY_USER_HEADER: 'proxy',
  PROXY_SECRET_HEADER: 'proxy',
};

function readAccess(env: Environment, plain: Plain): Access {
  const kind = plain.ACCESS;
  // A password without effect is worse than none: its owner believes that the dashboard is protected.
  for (const [name, owner] of Object.entries(ACCESS_KIND_OF)) {
    if (owner !== kind && secretIsSet(env, name)) {
      refuseSetting(`${name} is set although ACCESS is ${kind}: set ACCESS to ${owner}, or remove ${name}`);
    }
  }
  if (kind === 'password') {
    const password = requiredSecret(env, 'DASHBOARD_PASSWORD', MIN_PASSWORD_LENGTH, 'phrase');
    return { kind, password, sessionSecret: requiredSecret(env, 'SESSION_SECRET', MIN_SECRET_LENGTH) };
  }
  if (kind !== 'proxy') return { kind };
  const { PROXY_USER_HEADER: userHeader, PROXY_SECRET_HEADER: secretHeader } = plain;
  return { kind, userHeader, secretHeader, secret: requiredSecret(env, 'PROXY_SECRET', MIN_SECRET_LENGTH) };
}

function requiredSecret(env: Environment, name: string, minLength: number, kind: SecretKind = 'key'): Secret {
  const visible = kind === 'key' ? 'visible ' : '';
  return (
    readSecret(env, name, { kind, minLength }) ??
    refuseSetting(
      `${name} should be at least ${minLength} ${visible}characters, or ${name}_FILE name a file with them`,
    )
  );
}

/** `url` has no trailing slash. `keySetting` is set if it is not the usual one. */
export type ServiceSettings = { url: string; apiKey: Secret; keySetting?: string };

/** `logs` has the order of `LOGS_URL`; the first keeper is the default. */
export type ServiceAddresses = {
  /** URLs of a network are tried in this order. */
  rpc: RpcAddress[];
  logs: (ServiceSettings & { keeper: string })[];
  updates?: ServiceSettings;
  upgraded?: ServiceSettings;
  router?: ServiceSettings & { symbolsUrl: string };
};

const NO_KEY: Secret = () => undefined;

/** Refuses a key whose service has no URL. */
function readServices(env: Environment, plain: Plain): ServiceAddresses {
  const { UPDATES_URL, UPGRADED_UPDATES_URL, ROUTER_URL, SYMBOLS_URL } = plain;
  const updatesKey = keyFor(env, 'UPDATES_API_KEY', 'UPDATES_URL', UPDATES_URL ?? UPGRADED_UPDATES_URL);
  const upgradedKey = keyFor(env, 'UPGRADED_UPDATES_API_KEY', 'UPGRADED_UPDATES_URL', UPGRADED_UPDATES_URL);
  const routerKey = keyFor(env, 'ROUTER_API_KEY', 'ROUTER_URL', ROUTER_URL);
  if (SYMBOLS_URL && !ROUTER_URL)
    refuseSetting('SYMBOLS_URL is set without ROUTER_URL: set both, or neither');
  // The second host defaults to the key of the first one.
  const fallback = updatesKey && !upgradedKey ? { keySetting: 'UPDATES_API_KEY' } : {};
  return {
    rpc: readRpcUrls(env, plain.LOGS_URL.length > 0),
    logs: readLogs(env, plain.LOGS_URL),
    updates: UPDATES_URL ? { url: UPDATES_URL, apiKey: updatesKey ?? NO_KEY } : undefined,
    upgraded: UPGRADED_UPDATES_URL
      ? { url: UPGRADED_UPDATES_URL, apiKey: upgradedKey ?? updatesKey ?? NO_KEY, ...fallback }
      : undefined,
    router: ROUTER_URL
      ? { url: ROUTER_URL, symbolsUrl: SYMBOLS_URL ?? ROUTER_URL, apiKey: routerKey ?? NO_KEY }
      : undefined,
  };
}

/** The chain is only queried about requests of a log. */
function readRpcUrls(env: Environment, hasLogs: boolean): RpcAddress[] {
  if (!hasLogs && secretIsSet(env, 'RPC_URLS'))
    refuseSetting('RPC_URLS is set without LOGS_URL: set both, or neither');
  return parseRpcUrls(readSecret(env, 'RPC_URLS', { kind: 'rpc' })?.() ?? '') ?? [];
}

function keyFor(env: Environment, key: string, urlName: string, url: string | undefined): Secret | undefined {
  if (url === undefined && secretIsSet(env, key))
    refuseSetting(`${key} is set without ${urlName}: set ${urlName} to ${URL_FORM}, or remove the key`);
  return readSecret(env, key);
}

function readLogs(env: Environment, keepers: Plain['LOGS_URL']): ServiceAddresses['logs'] {
  // A shell variable cannot contain `-`.
  const keyName = (keeper: string) => `LOGS_API_KEY_${keeper.toUpperCase().replaceAll('-', '_')}`;
  const keySettings = Object.keys(env)
    .filter((name) => name.startsWith('LOGS_API_KEY_') && name !== 'LOGS_API_KEY_FILE')
    .filter((name) => readSetting(env, name) !== undefined)
    .map((name) => name.replace(/_FILE$/, ''));
  for (const key of keySettings) {
    keyFor(env, key, 'LOGS_URL', keepers[0]?.url);
    if (!keepers.some(({ keeper }) => keyName(keeper) === key))
      refuseSetting(`${key} names no keeper of LOGS_URL`);
  }
  const shared = keyFor(env, 'LOGS_API_KEY', 'LOGS_URL', keepers[0]?.url);
  return keepers.map(({ keeper, url }) => {
    const keySetting = keyName(keeper);
    const keeperKey = readSecret(env, keySetting);
    return keeperKey
      ? { keeper, url, apiKey: keeperKey, keySetting }
      : { keeper, url, apiKey: shared ?? NO_KEY };
  });
}

/** `main=https://…,test=https://…`, or one URL, which becomes keeper `main`. */
function parseKeepers(text: string): { keeper: string; url: string }[] | undefined {
  const isSingle = /^https?:/i.test(text) && !/,\s*[a-z0-9-]+=/i.test(text);
  const keepers = (isSingle ? [`main=${text}`] : text.split(',')).flatMap((part) => {
    const [, keeper = '', address = ''] = /^\s*([a-z0-9-]+)=(.*)$/.exec(part) ?? [];
    const url = parseUrl(address.trim());
    // The variable of the key of "file" or "x-file" would be one that names a key file.
    return url === undefined || /(^|-)file$/.test(keeper) ? [undefined] : [{ keeper, url }];
  });
  const isValid = keepers.every((keeper) => keeper !== undefined);
  return isValid && new Set(keepers.map(({ keeper }) => keeper)).size === keepers.length
    ? keepers
    : undefined;
}

function parseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\,]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username || url.password || /[?#]/.test(text) ? undefined : url.href.replace(/\/+$/, '');
}

const processSettings = processWide<Settings>('settings');

/** Separate from the services, so that the proxy does not bundle their clients. */
export const currentSettings = () => processSettings.ensure(() => readSettings(process.env));
