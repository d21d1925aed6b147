import 'server-only';
import { type ProblemDetails, problemDetails } from '@/lib/core/problem';
import { currentSettings } from '@/lib/platform/settings';
import type { Caller } from './caller';

type Headers = Pick<Caller, 'header'>;
type HostNames = ReadonlySet<string>;

/** Checks the host name (against DNS rebinding) and the site: `misdirected` or `forbidden`; undefined if allowed. */
export function guardRequest(
  request: Headers,
  allowedHosts: HostNames = currentSettings().allowedHosts,
): ProblemDetails | undefined {
  return guardHost(request, allowedHosts) ?? guardSite(request);
}

function guardHost({ header }: Headers, allowedHosts: HostNames): ProblemDetails | undefined {
  const form = /^([^:[\]@/\\\s]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
  const name = form.exec(header('host') ?? '')?.[1]?.toLowerCase();
  if (name !== undefined && allowedHosts.has(name)) return undefined;
  return problemDetails('misdirected', 'Unknown host name. Add it to ALLOWED_HOSTS if it should be served.');
}

/** Another site may link to a page, but not embed, load or post to it, because each page calls the services. */
export function guardPage(
  request: Headers,
  method: string,
  allowedHosts: HostNames = currentSettings().allowedHosts,
): ProblemDetails | undefined {
  const { header } = request;
  const isFollowedLink =
    (method === 'GET' || method === 'HEAD') &&
    !header('origin') &&
    !isInAdvance(request) &&
    header('sec-fetch-mode') === 'navigate' &&
    header('sec-fetch-dest') === 'document';
  return guardHost(request, allowedHosts) ?? (isFollowedLink ? undefined : guardSite(request));
}

/**
 * Browsers name the site in Sec-Fetch-Site. Older ones, and all over plain HTTP to another machine, send only Origin;
 * programs send neither. Another port or subdomain is the same site, but another origin. A prefetch by another page
 * arrives with `none`, like a typed address.
 */
function guardSite(request: Headers): ProblemDetails | undefined {
  const { header } = request;
  const site = header('sec-fetch-site')?.toLowerCase() ?? 'none';
  const origin = header('origin');
  const isSame = !origin || isSameOrigin(origin, header('host') ?? '');
  if (site === 'same-origin' || (site === 'none' && !isInAdvance(request) && isSame)) return undefined;
  return problemDetails('forbidden', 'Cross-site requests are refused.');
}

/** Browsers mark speculative requests (speculation rules) with `prefetch`. */
function isInAdvance({ header }: Headers): boolean {
  return /prefetch/i.test(header('sec-purpose') ?? '');
}

function isSameOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const requestOrigin = `${protocol}//${host}`;
  return URL.canParse(requestOrigin) && new URL(requestOrigin).host === originHost;
}

/** Scripts and style elements need the nonce. @param development allows what hot reload needs: eval and a web socket */
export function contentSecurityPolicy(nonce: string, development: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
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

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** HSTS of half a year: long enough for browsers, and short enough for an operator who gives up TLS. */
export const HSTS = 'max-age=15552000';

/** Whether the first proxy reports HTTPS in its header. A client that forges it affects only itself. */
export function isBehindTls({ header }: Headers): boolean {
  return header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
}

export function freshNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
}
