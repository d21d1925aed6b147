import 'server-only';
import { relative } from 'node:path';
import type { Access } from './access-settings';
import { currentSettings } from './current-settings';
import type { Secret } from './secret';

/** Something thrown, as a line of the log has it. */
export type LoggedError = {
  name: string;
  message: string;
  /** Node's own, such as ECONNREFUSED. */
  code?: string;
  /** Where in our own files it was thrown, the nearest first: path below our folder, line and column. */
  at?: string[];
};

const LONGEST_MESSAGE = 300;
const MOST_PLACES = 5;
/** No line of a stack of ours is longer; the pattern would take long for one of megabytes. */
const LONGEST_LINE = 1000;
/** `(file:///…/chunk.js:1:23)`, `(/…/chunk.js:1:23)` or the same without brackets. */
const PLACE = /(?:file:\/\/)?(\/[^\s()]+):(\d+):(\d+)\)?$/;

/**
 * What may be said of something thrown: its name, the beginning of its message without a secret of ours in it, and where in
 * our own files it happened. Files of others and where ours lie on this machine are left out.
 */
export function loggedError(
  thrown: unknown,
  root: string = process.cwd(),
  secrets: () => readonly string[] = secretsInUse,
): LoggedError {
  if (!(thrown instanceof Error)) {
    return { name: typeof thrown, message: shown(typeof thrown === 'string' ? thrown : '', root, secrets()) };
  }
  const code = codeOf(thrown) ?? codeOf(thrown.cause);
  const at = placesOf(thrown, root);
  return {
    name: shown(String(thrown.name), root, []),
    message: shown(String(thrown.message), root, secrets()),
    ...(code === undefined ? {} : { code }),
    ...(at.length === 0 ? {} : { at }),
  };
}

function shown(text: string, root: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets) rest = rest.replaceAll(secret, '[secret]');
  rest = rest.replaceAll(`${root}/`, '');
  return rest.length <= LONGEST_MESSAGE ? rest : `${rest.slice(0, LONGEST_MESSAGE)}…`;
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(thrown.code) ? thrown.code : undefined;
}

/** A stack begins with the message, whose lines may look like places: it is passed over. */
function placesOf({ stack = '', message }: Error, root: string): string[] {
  const begin = stack.indexOf(message);
  if (begin < 0) return [];
  const places: string[] = [];
  for (const line of stack.slice(begin + message.length).split('\n')) {
    if (line.length > LONGEST_LINE) continue;
    const [, path, row, column] = PLACE.exec(line) ?? [];
    if (path === undefined || path.includes('/node_modules/')) continue;
    const below = relative(root, path);
    if (!below.startsWith('..')) places.push(`${below}:${row}:${column}`);
    if (places.length === MOST_PLACES) break;
  }
  return places;
}

/** Every secret that this process holds. Asked for where something failed, not for every line. */
function secretsInUse(): string[] {
  const { logs, updates, upgraded, router, access, metricsToken } = currentSettings();
  const keys = [...logs, updates, upgraded, router].map((service) => service?.apiKey);
  return [...keys, metricsToken, ...secretsOfAccess(access)].flatMap((secret) => secret?.() ?? []);
}

function secretsOfAccess(access: Access): Secret[] {
  switch (access.kind) {
    case 'password':
      return [access.password, access.sessionSecret];
    case 'proxy':
      return [access.secret];
    default:
      return [];
  }
}
