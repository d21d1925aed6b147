import { type NextRequest, NextResponse } from 'next/server';
import { guardHost } from '@/lib/server/guard';
import { problemHeaders } from '@/lib/server/reply';
import { contentSecurityPolicy, freshNonce, PAGE_HEADERS } from '@/lib/server/security-headers';

/** Everything but /api, whose handlers guard themselves: a pass through here would double the cost of a gateway call. */
export const config = { matcher: '/((?!api/).*)' };

/** Checks the host name and gives each page its content security policy with a nonce. */
export function proxy(request: NextRequest): NextResponse {
  const refusal = guardHost(request.headers.get('host'));
  if (refusal) {
    return new NextResponse(JSON.stringify(refusal), {
      status: refusal.status,
      headers: problemHeaders(refusal),
    });
  }
  if (request.nextUrl.pathname.startsWith('/_next/')) return NextResponse.next({ headers: PAGE_HEADERS });
  const nonce = freshNonce();
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  // Next puts the nonce of the request's policy on its own scripts; ours take it from x-nonce.
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
  return response;
}
