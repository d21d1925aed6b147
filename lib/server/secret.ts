import 'server-only';
import { readFileSync, statSync } from 'node:fs';
import { type Environment, refuseSetting, settingOf } from './settings-error';

/** The current value of a secret. Ask anew for each use: a secret from a file changes when the file does. */
export type Secret = () => string | undefined;

/** What a secret touches outside: a file's text (it throws when it can't be read) and the clock in ms. */
export type SecretEdges = { readText: (path: string) => string; now: () => number };

/** A key is far shorter; a larger file was named by mistake. */
const LARGEST_FILE_BYTES = 8192;

/** How long a file's text is trusted, in ms: a rotated key is in use within this time, and a burst of calls reads once. */
const FRESH_MS = 1000;

/** A secret goes into a header: visible ASCII, no spaces, no line breaks. */
const USABLE = /^[\x21-\x7e]+$/;

const REAL_EDGES: SecretEdges = {
  readText: (path) => {
    if (statSync(path).size > LARGEST_FILE_BYTES) throw new Error('too large');
    return readFileSync(path, 'utf8');
  },
  now: Date.now,
};

/**
 * Reads secret `name` from the variable itself or from the file that `name_FILE` names.
 * @returns undefined when neither is set
 * @throws SettingsError when both are set, the file can't be read, or the value can't stand in a header
 */
export function readSecret(
  env: Environment,
  name: string,
  edges: SecretEdges = REAL_EDGES,
): Secret | undefined {
  const value = settingOf(env, name);
  const file = settingOf(env, `${name}_FILE`);
  if (value !== undefined && file !== undefined) {
    refuseSetting(`${name} and ${name}_FILE contradict each other: set only one of them`);
  }
  if (file !== undefined) return secretFromFile(`${name}_FILE`, file, edges);
  if (value === undefined) return undefined;
  if (!USABLE.test(value))
    refuseSetting(`${name} should be one line of visible ASCII characters without spaces`);
  return () => value;
}

/** Whether the secret is set in either way. */
export function secretIsSet(env: Environment, name: string): boolean {
  return settingOf(env, name) !== undefined || settingOf(env, `${name}_FILE`) !== undefined;
}

function secretFromFile(variable: string, path: string, edges: SecretEdges): Secret {
  let value = usableText(path, edges);
  if (value === undefined) {
    refuseSetting(
      `${variable} should name a readable file that holds the secret on one line, and nothing else`,
    );
  }
  let readAt = edges.now();
  return () => {
    const now = edges.now();
    if (now - readAt >= FRESH_MS || now < readAt) {
      readAt = now;
      // While the file is being replaced it may be missing or empty for a moment: the last good key stays in use.
      value = usableText(path, edges) ?? value;
    }
    return value;
  };
}

function usableText(path: string, edges: SecretEdges): string | undefined {
  try {
    const text = edges.readText(path).trim();
    return USABLE.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
