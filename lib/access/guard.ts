import 'server-only';
import type { IncomingHttpHeaders } from 'node:http';
import { type Problem, problem } from '@/lib/core/problem';
import { currentSettings } from '@/lib/server/settings';

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

/**
 * The content security policy of a page. Scripts and style elements need the nonce; style attributes, which UI
 * libraries write while rendering on the server, are allowed.
 * @param development hot reload evaluates code and talks over a web socket
 */
export function contentSecurityPolicy(nonce: string, development: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    // The worker through which all pages share one stream.
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws: wss:' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** What every page and every file says beside its policy. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Half a year: long enough for browsers, short enough to leave TLS again. */
const HSTS = 'max-age=15552000';

/**
 * What `Strict-Transport-Security` says behind TLS; undefined without it, where browsers must not hear it.
 * @param forwardedProto `x-forwarded-proto` as it came: whoever forges it only binds his own browser
 */
export function strictTransport(forwardedProto: string | null | undefined): string | undefined {
  return isBehindTls(forwardedProto) ? HSTS : undefined;
}

/** Whether a proxy says that the browser's way to it is TLS; the first one's word counts. */
export function isBehindTls(forwardedProto: string | null | undefined): boolean {
  return forwardedProto?.split(',')[0]?.trim() === 'https';
}

/** 128 random bits, fresh for each page. */
export function freshNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
}
