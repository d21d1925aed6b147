import 'server-only';

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
