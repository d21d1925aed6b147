import 'server-only';
import type { IncomingHttpHeaders } from 'node:http';
import { type Problem, problem } from '@/lib/domain/problem';
import { currentSettings } from './current-settings';

/** The headers that say for whom a request is and who made the browser send it; undefined or null when absent. */
export type GuardedRequest = {
  host: string | null | undefined;
  origin: string | null | undefined;
  secFetchSite: string | null | undefined;
};

/** Those headers of a request of Node's. */
export function guardedOf(headers: IncomingHttpHeaders): GuardedRequest {
  return { host: headers.host, origin: headers.origin, secFetchSite: headers['sec-fetch-site']?.toString() };
}

/**
 * Whether a request may go on: its host name must be ours (a foreign name that resolves to this machine is a DNS
 * rebinding attack), and no other site may have made the browser send it.
 * @returns `misdirected` or `forbidden`, or undefined when all is well
 */
export function guardRequest(
  request: GuardedRequest,
  allowedHosts: ReadonlySet<string> = currentSettings().allowedHosts,
): Problem | undefined {
  return guardHost(request.host, allowedHosts) ?? guardSite(request);
}

/** The host name alone, for pages: a link from another site may open them. The port is ignored. */
export function guardHost(
  host: string | null | undefined,
  allowedHosts: ReadonlySet<string> = currentSettings().allowedHosts,
): Problem | undefined {
  const [, name] = /^([^:[\]@/\\\s]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  if (name !== undefined && allowedHosts.has(name.toLowerCase())) return undefined;
  return problem(
    'misdirected',
    'This host name is not served here. Add it to ALLOWED_HOSTS if it should be.',
  );
}

/**
 * Browsers say where a request comes from in Sec-Fetch-Site; older ones only send Origin. Programs send neither. Another
 * port of this machine is the same site but not the same origin.
 */
function guardSite({ host, origin, secFetchSite }: GuardedRequest): Problem | undefined {
  const site = secFetchSite?.toLowerCase() ?? 'none';
  if (site === 'same-origin') return undefined;
  if ((site === 'same-site' || site === 'none') && (!origin || isOwnOrigin(origin, host ?? '')))
    return undefined;
  return problem('forbidden', 'Requests that another site makes a browser send are not answered.');
}

function isOwnOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === originHost;
}
