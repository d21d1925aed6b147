import 'server-only';
import type { IncomingHttpHeaders } from 'node:http';
import { type Problem, problem } from '@/lib/core/problem';
import { currentSettings } from './current-settings';

/** The headers that say for whom a request is and who made the browser send it; undefined or null when absent. */
export type GuardedRequest = {
  host: string | null | undefined;
  origin: string | null | undefined;
  secFetchSite: string | null | undefined;
  /** What a browser asks for in advance (speculation rules) has `prefetch` here. */
  secPurpose?: string | null | undefined;
};

/** Those headers of a request of Node's. */
export function guardedOf(headers: IncomingHttpHeaders): GuardedRequest {
  return {
    host: headers.host,
    origin: headers.origin,
    secFetchSite: headers['sec-fetch-site']?.toString(),
    secPurpose: headers['sec-purpose']?.toString(),
  };
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

/** The host name alone. The port is ignored. */
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

/** What a browser says about a request for a page, beside the rest: what for, and by which method. */
export type GuardedPage = GuardedRequest & {
  method: string;
  secFetchMode: string | null | undefined;
  secFetchDest: string | null | undefined;
};

/**
 * The host name and the site, for pages and files: somebody may follow a link from another site to a page. What that site
 * embeds, loads or posts by itself is refused, as a page asks services for what it shows.
 */
export function guardPage(
  page: GuardedPage,
  allowedHosts: ReadonlySet<string> = currentSettings().allowedHosts,
): Problem | undefined {
  return guardHost(page.host, allowedHosts) ?? (isFollowedLink(page) ? undefined : guardSite(page));
}

function isFollowedLink({ method, origin, secFetchMode, secFetchDest, secPurpose }: GuardedPage): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  return (
    isReading &&
    !origin &&
    !isInAdvance(secPurpose) &&
    secFetchMode === 'navigate' &&
    secFetchDest === 'document'
  );
}

/**
 * Browsers say where a request comes from in Sec-Fetch-Site; older ones, and all of them over plain HTTP to another
 * machine, only send Origin. Programs send neither. Another port of this machine, or another name of our domain, is the
 * same site but somebody else's page. What another page has fetched in advance comes with `none`, as if by hand.
 */
function guardSite({ host, origin, secFetchSite, secPurpose }: GuardedRequest): Problem | undefined {
  const site = secFetchSite?.toLowerCase() ?? 'none';
  if (site === 'same-origin') return undefined;
  if (site === 'none' && !isInAdvance(secPurpose) && (!origin || isOwnOrigin(origin, host ?? '')))
    return undefined;
  return problem('forbidden', 'Requests that another site makes a browser send are not answered.');
}

function isInAdvance(secPurpose: string | null | undefined): boolean {
  return /prefetch/i.test(secPurpose ?? '');
}

function isOwnOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === originHost;
}
