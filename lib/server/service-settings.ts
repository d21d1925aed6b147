import 'server-only';
import { type Environment, readSecret, refuseSetting, type Secret, secretIsSet, settingOf } from './secret';

/**
 * One service host: base URL without a trailing slash (a path prefix is kept) and the key it is called with.
 * `keySetting` is the variable to look at when the key is rejected, where it is not the service's usual one.
 */
export type ServiceSettings = { url: string; apiKey: Secret; keySetting?: string };

/** One request log service of several: its keeper is the name in `LOGS_URL` and in `?keeper=`. */
export type KeeperSettings = ServiceSettings & { keeper: string };

/** The services that have a URL. `logs` is in the order of `LOGS_URL`: the first keeper is the default. */
export type ServiceAddresses = {
  logs: KeeperSettings[];
  updates?: ServiceSettings;
  upgraded?: ServiceSettings;
  router?: ServiceSettings & { symbolsUrl: string };
};

const URL_FORM = 'an http or https URL without user name, password, query or fragment';
const NO_KEY: Secret = () => undefined;

/** Every variable that names a service; the sandbox stands in only when none of them is set. */
export const SERVICE_URLS = [
  'LOGS_URL',
  'UPDATES_URL',
  'UPGRADED_UPDATES_URL',
  'ROUTER_URL',
  'SYMBOLS_URL',
] as const;

/**
 * Reads where the services are and their keys.
 * @throws SettingsError for a malformed URL or keeper, and for a key whose service has no URL
 */
export function readServices(env: Environment): ServiceAddresses {
  return {
    logs: readLogs(env),
    updates: readUpdates(env),
    upgraded: readUpgraded(env),
    router: readRouter(env),
  };
}

function readUpdates(env: Environment): ServiceSettings | undefined {
  const url = readUrl(env, 'UPDATES_URL');
  const apiKey = readSecret(env, 'UPDATES_API_KEY');
  // The key of the first host is also what the second falls back to, so it makes sense with either URL.
  if (apiKey && !url && !settingOf(env, 'UPGRADED_UPDATES_URL'))
    refuseLoneKey('UPDATES_API_KEY', 'UPDATES_URL');
  return url === undefined ? undefined : { url, apiKey: apiKey ?? NO_KEY };
}

function readUpgraded(env: Environment): ServiceSettings | undefined {
  const url = readUrl(env, 'UPGRADED_UPDATES_URL');
  const apiKey = readSecret(env, 'UPGRADED_UPDATES_API_KEY');
  if (url === undefined) {
    if (apiKey) refuseLoneKey('UPGRADED_UPDATES_API_KEY', 'UPGRADED_UPDATES_URL');
    return undefined;
  }
  if (apiKey) return { url, apiKey };
  const shared = readSecret(env, 'UPDATES_API_KEY');
  return shared ? { url, apiKey: shared, keySetting: 'UPDATES_API_KEY' } : { url, apiKey: NO_KEY };
}

function readRouter(env: Environment): ServiceAddresses['router'] {
  const url = readUrl(env, 'ROUTER_URL');
  const symbolsUrl = readUrl(env, 'SYMBOLS_URL');
  const apiKey = readSecret(env, 'ROUTER_API_KEY');
  if (url === undefined) {
    if (apiKey) refuseLoneKey('ROUTER_API_KEY', 'ROUTER_URL');
    if (symbolsUrl) refuseSetting('SYMBOLS_URL is set without ROUTER_URL: set both, or neither');
    return undefined;
  }
  return { url, symbolsUrl: symbolsUrl ?? url, apiKey: apiKey ?? NO_KEY };
}

function readLogs(env: Environment): KeeperSettings[] {
  const text = settingOf(env, 'LOGS_URL');
  if (text === undefined) {
    const key = keeperKeys(env)[0] ?? (secretIsSet(env, 'LOGS_API_KEY') ? 'LOGS_API_KEY' : undefined);
    if (key) refuseLoneKey(key, 'LOGS_URL');
    return [];
  }
  const addresses = readKeepers(text);
  const unknown = keeperKeys(env).find((name) => !addresses.some(({ keeper }) => keyName(keeper) === name));
  if (unknown) refuseSetting(`${unknown} names no keeper of LOGS_URL`);
  const shared = readSecret(env, 'LOGS_API_KEY');
  return addresses.map(({ keeper, url }) => {
    const own = readSecret(env, keyName(keeper));
    return own
      ? { keeper, url, apiKey: own, keySetting: keyName(keeper) }
      : { keeper, url, apiKey: shared ?? NO_KEY };
  });
}

/** `main=https://…,test=https://…`, or one URL, which is keeper `main`. */
function readKeepers(text: string): { keeper: string; url: string }[] {
  if (/^https?:/i.test(text) && !/,\s*[a-z0-9-]+=/i.test(text)) {
    return [{ keeper: 'main', url: parseUrl(text) ?? refuseLogsUrl() }];
  }
  const keepers = text.split(',').map((part) => {
    const [, keeper, address] = /^\s*([a-z0-9-]+)=(.*)$/.exec(part) ?? refuseLogsUrl();
    return { keeper: keeper ?? '', url: parseUrl((address ?? '').trim()) ?? refuseLogsUrl() };
  });
  const names = new Set(keepers.map(({ keeper }) => keeper));
  if (names.size !== keepers.length)
    refuseSetting('LOGS_URL names a keeper twice: each needs a name of its own');
  // `LOGS_API_KEY_FILE` and `LOGS_API_KEY_X_FILE` already mean the files of other keys.
  if ([...names].some((name) => /(^|-)file$/.test(name))) {
    refuseSetting('LOGS_URL has a keeper whose name ends in "file", which its key variable could not hold');
  }
  return keepers;
}

function refuseLogsUrl(): never {
  return refuseSetting(
    `LOGS_URL should be ${URL_FORM}, or several as main=https://…,test=https://… with names of a-z, 0-9 and -`,
  );
}

/** Variable that holds a keeper's own key. A shell can't name a variable with `-`, so it is `_` there. */
function keyName(keeper: string): string {
  return `LOGS_API_KEY_${keeper.toUpperCase().replaceAll('-', '_')}`;
}

/** The per-keeper key variables that are set, without `_FILE`. */
function keeperKeys(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('LOGS_API_KEY_') && name !== 'LOGS_API_KEY_FILE')
    .filter((name) => settingOf(env, name) !== undefined)
    .map((name) => name.replace(/_FILE$/, ''))
    .sort();
}

function refuseLoneKey(key: string, url: string): never {
  return refuseSetting(`${key} is set without ${url}: set ${url} to ${URL_FORM}, or remove the key`);
}

function readUrl(env: Environment, name: string): string | undefined {
  const text = settingOf(env, name);
  if (text === undefined) return undefined;
  return parseUrl(text) ?? refuseSetting(`${name} should be ${URL_FORM}`);
}

function parseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\,]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username || url.password || /[?#]/.test(text)) return undefined;
  return url.href.replace(/\/+$/, '');
}
