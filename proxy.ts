import { type NextRequest, NextResponse } from 'next/server';
import { callerOfFetch } from '@/lib/access/caller';
import { contentSecurityPolicy, freshNonce, guardPage, PAGE_HEADERS } from '@/lib/access/guard';
import { enter, PAGE_COST, type Refusal, rateLimitAnonymous } from '@/lib/access/principal';
import type { Problem } from '@/lib/core/problem';
import { signInPath } from '@/lib/core/text';
import { problemHeaders } from '@/lib/server/reply';

/** Everything but /api, whose handlers guard themselves: a pass through here would double the cost of a gateway call. */
export const config = { matcher: '/((?!api/).*)' };

/** What the page for signing in needs: files that hold nothing of the operator's. */
const FOR_EVERYBODY = /^\/(icon\.svg|_next\/static\/.+)$/;

/** Checks the host name and who asks, and gives each page its content security policy with a nonce. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const caller = callerOfFetch(request);
  const refusal = guardPage(caller, request.method);
  if (refusal) return withHeaders(problemPage(refusal), PAGE_HEADERS);
  if (pathname === '/sign-in') return signInPage(request);
  if (FOR_EVERYBODY.test(pathname)) return file();
  const entry = await enter(caller);
  if (!entry.ok) return withHeaders(turnedAway(request, entry), PAGE_HEADERS);
  const response = pathname.startsWith('/_next/') ? file() : page(request);
  if (entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** It costs the most of what is shown to everybody, so it is counted. */
function signInPage(request: NextRequest): NextResponse {
  const refusal = rateLimitAnonymous(callerOfFetch(request), undefined, PAGE_COST);
  return refusal ? withHeaders(problemPage(refusal.problem), PAGE_HEADERS) : page(request);
}

/** People are led to where they can sign in; programs and those who ask too often are told. */
function turnedAway(request: NextRequest, { problem, headers }: Refusal): NextResponse {
  if (problem.kind !== 'not-signed-in') return withHeaders(problemPage(problem), headers);
  const { pathname, searchParams } = request.nextUrl;
  // What the framework's own navigation adds is no part of the address that somebody wanted.
  searchParams.delete('_rsc');
  const search = searchParams.size > 0 ? `?${searchParams}` : '';
  // An address of the host that Next itself has for us is sent out as a mere path: a proxy's browser has another.
  const response = NextResponse.redirect(new URL(signInPath(pathname + search), request.nextUrl));
  return withHeaders(response, { 'cache-control': 'no-store' });
}

function file(): NextResponse {
  return withHeaders(NextResponse.next(), PAGE_HEADERS);
}

function page(request: NextRequest): NextResponse {
  const nonce = freshNonce();
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  // Next puts the nonce of the request's policy on its own scripts; ours take it from x-nonce.
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  const response = NextResponse.next({ request: { headers } });
  return withHeaders(response, { ...PAGE_HEADERS, 'content-security-policy': policy });
}

function problemPage(problem: Problem): NextResponse {
  return new NextResponse(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...problemHeaders(problem) },
  });
}

function withHeaders(response: NextResponse, headers: Readonly<Record<string, string>>): NextResponse {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
