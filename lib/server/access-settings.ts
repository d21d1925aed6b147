import 'server-only';
import { readSecret, type Secret, secretIsSet } from './secret';
import { type Environment, refuseSetting, settingOf } from './settings-error';

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
        password: needed(env, 'DASHBOARD_PASSWORD', SHORTEST_PASSWORD),
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

function needed(env: Environment, name: string, shortest: number): Secret {
  const secret = readSecret(env, name);
  if (secret === undefined || (secret()?.length ?? 0) < shortest) {
    refuseSetting(
      `${name} should be at least ${shortest} visible characters, or ${name}_FILE name a file with them`,
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
