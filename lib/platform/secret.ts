import 'server-only';
import { readFileSync, statSync } from 'node:fs';
import type { HostReport } from '@/lib/core/service-report';
import { parseRpcUrls } from './rpc-urls';

/** The message is one line for the operator: the variable, and what it should look like. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readSetting(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

export function refuseSetting(line: string): never {
  throw new SettingsError(line);
}

/** Returns a secret. To be called for each use, because a file may change. `origin` reveals nothing about the value. */
export type Secret = (() => string | undefined) & { readonly origin?: () => SecretOrigin };

export type SecretOrigin = NonNullable<HostReport['key']['origin']>;

/** `readText` throws if the file is unreadable; times are unix ms. */
type SecretDeps = {
  readText: (path: string) => string;
  writtenAt?: (path: string) => number | undefined;
  now: () => number;
};

/** A key is far shorter, so a larger file was named by mistake. */
const MAX_FILE_BYTES = 8192;
/** A rotated key is used within this time, and a burst of calls reads its file once. */
const CACHE_MS = 1000;

/** A `key` goes into a header. A `phrase` is typed by people and may have spaces. */
const FORMS: Readonly<
  Record<SecretKind, { isValid: (text: string) => boolean; form: string; inFile?: string }>
> = {
  key: {
    isValid: (text: string) => /^[\x21-\x7e]+$/.test(text),
    form: 'one line of visible ASCII characters without spaces',
  },
  phrase: { isValid: (text: string) => /^[^\p{Cc}]+$/u.test(text), form: 'one line of text' },
  database: {
    isValid: (text: string) => isUrl(text, ['postgres:', 'postgresql:']),
    form: 'the URL of a PostgreSQL database, such as postgres://user:password@host:5432/keeperscope',
  },
  webhook: {
    isValid: (text: string) => isUrl(text, ['https:', 'http:']) && !/^https?:\/\/[^/?#]*@/i.test(text),
    form: 'an http or https URL without user name and password',
  },
  rpc: {
    isValid: (text) => parseRpcUrls(text) !== undefined,
    form: 'network ids with http or https URLs without user name and password, such as 8453=https://…,42161=https://…',
    inFile: 'one network_id=url a line, such as 8453=https://…, and nothing else',
  },
};
export type SecretKind = 'key' | 'phrase' | 'database' | 'webhook' | 'rpc';

function isUrl(text: string, protocols: readonly string[]): boolean {
  if (!/^[a-z]+:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocols.includes(protocol) && hostname !== '';
}

const REAL_DEPS: SecretDeps = {
  readText: (path) => {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error('too large');
    return readFileSync(path, 'utf8');
  },
  writtenAt: (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  // Resolved at each call: tests replace the clock.
  now: () => Date.now(),
};

/**
 * Reads a secret from the variable, or the file named by the variable with the suffix `_FILE`. Undefined if neither is
 * set, or the variable is too short.
 * @throws SettingsError if both are set, the file is unreadable, or the value has another form
 */
export function readSecret(
  env: Environment,
  name: string,
  {
    kind = 'key',
    minLength = 1,
    deps = REAL_DEPS,
  }: { kind?: SecretKind; minLength?: number; deps?: SecretDeps } = {},
): Secret | undefined {
  const value = readSetting(env, name);
  const path = readSetting(env, `${name}_FILE`);
  if (path !== undefined && value !== undefined) {
    refuseSetting(`${name} and ${name}_FILE contradict each other: set only one of them`);
  }
  const { isValid, form, inFile } = FORMS[kind];
  const isUsable = (text: string) => isValid(text) && text.length >= minLength;
  const length = minLength > 1 ? ` of at least ${minLength} characters` : '';
  const content = inFile ?? `the secret on one line${length}, and nothing else`;
  if (path !== undefined) return secretFromFile(`${name}_FILE`, path, deps, isUsable, content);
  if (value === undefined) return undefined;
  if (!isValid(value)) refuseSetting(`${name} should be ${form}`);
  if (value.length < minLength) return undefined;
  const origin: SecretOrigin = { kind: 'environment', setting: name, sinceMs: deps.now() };
  return Object.assign(() => value, { origin: () => origin });
}

export function secretIsSet(env: Environment, name: string): boolean {
  return readSetting(env, name) !== undefined || readSetting(env, `${name}_FILE`) !== undefined;
}

function secretFromFile(
  setting: string,
  path: string,
  deps: SecretDeps,
  isUsable: (text: string) => boolean,
  content: string,
): Secret {
  const fromFile = () => {
    try {
      const text = deps.readText(path).trim();
      return isUsable(text) ? text : undefined;
    } catch {
      return undefined;
    }
  };
  let value = fromFile() ?? refuseSetting(`${setting} should name a readable file that holds ${content}`);
  let readAt = deps.now();
  const origin = (): SecretOrigin => ({
    kind: 'file',
    setting,
    sinceMs: readAt,
    writtenAtMs: deps.writtenAt?.(path),
  });
  let current = origin();
  const read = () => {
    const now = deps.now();
    if (now - readAt >= CACHE_MS || now < readAt) {
      readAt = now;
      const secret = fromFile();
      if (secret !== undefined && secret !== value) current = origin();
      else current = { ...current, trouble: secret === undefined ? 'file-unusable' : undefined };
      // A file that is being replaced may be missing or empty for a moment, so the last good value stays.
      value = secret ?? value;
    }
    return value;
  };
  return Object.assign(read, {
    origin: () => {
      read();
      return current;
    },
  });
}
