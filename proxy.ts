import { type NextRequest, NextResponse } from 'next/server';
import { signInPath } from '@/lib/contract/codec/return-path';
import type { Problem } from '@/lib/domain/problem';
import { askerOfFetch } from '@/lib/server/asker';
import { guardHost } from '@/lib/server/guard';
import { problemHeaders } from '@/lib/server/reply';
import { contentSecurityPolicy, freshNonce, pageHeaders } from '@/lib/server/security-headers';
import { type Entry, enter } from '@/lib/server/visitor';

/** Everything but /api, whose handlers guard themselves: a pass through here would double the cost of a gateway call. */
export const config = { matcher: '/((?!api/).*)' };

/** What somebody needs before signing in: the page for it, and files that hold nothing of the operator's. */
const FOR_EVERYBODY = /^\/(sign-in|icon\.svg|_next\/static\/.+)$/;

/** Checks the host name and who asks, and gives each page its content security policy with a nonce. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const headers = pageHeaders(request.headers.get('x-forwarded-proto'));
  const refusal = guardHost(request.headers.get('host'));
  if (refusal) return withHeaders(problemPage(refusal), headers);
  const { pathname } = request.nextUrl;
  if (FOR_EVERYBODY.test(pathname)) {
    return pathname === '/sign-in' ? page(request, headers) : NextResponse.next({ headers });
  }
  const entry = await enter(askerOfFetch(request));
  if (!entry.ok) return withHeaders(turnedAway(request, entry), headers);
  const response = pathname.startsWith('/_next/') ? NextResponse.next({ headers }) : page(request, headers);
  if (entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** People are led to where they can sign in; programs and those who ask too often are told. */
function turnedAway(request: NextRequest, { problem, headers }: Extract<Entry, { ok: false }>): NextResponse {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (problem.kind !== 'not-signed-in' || !isReading) return withHeaders(problemPage(problem), headers);
  const { pathname, searchParams } = request.nextUrl;
  // What the framework's own navigation adds is no part of the address that somebody wanted.
  searchParams.delete('_rsc');
  const search = searchParams.size > 0 ? `?${searchParams}` : '';
  // An address of the host that Next itself has for us is sent out as a mere path: a proxy's browser has another.
  return NextResponse.redirect(new URL(signInPath(pathname + search), request.nextUrl));
}

function page(request: NextRequest, pageHeaders: Record<string, string>): NextResponse {
  const nonce = freshNonce();
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  // Next puts the nonce of the request's policy on its own scripts; ours take it from x-nonce.
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  const response = NextResponse.next({ request: { headers } });
  return withHeaders(response, { ...pageHeaders, 'content-security-policy': policy });
}

function problemPage(problem: Problem): NextResponse {
  return new NextResponse(JSON.stringify(problem), {
    status: problem.status,
    headers: problemHeaders(problem),
  });
}

function withHeaders(response: NextResponse, headers: Record<string, string>): NextResponse {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
