import { type NextRequest, NextResponse } from 'next/server';
import { callerOfFetch } from '@/lib/access/caller';
import { contentSecurityPolicy, freshNonce, guardPage } from '@/lib/access/guard';
import { admitWithLimits, PAGE_COST, type Refusal, rateLimitAnonymous } from '@/lib/access/principal';
import { problemReply } from '@/lib/access/reply';
import { signInPath } from '@/lib/core/text';

/** The handlers of /api guard themselves. A pass through here would double the cost of a gateway call. */
export const config = { matcher: '/((?!api/).*)' };

/** Files that contain nothing about the operator. Browsers request the manifest and its icons without a session. */
const FOR_EVERYBODY =
  /^\/(icon(-alert)?\.svg|icon-[\w-]+\.png|manifest\.webmanifest|robots\.txt|fonts\/[\w.-]+|_next\/static\/.+)$/;

/** Checks the host name and the caller, and sets the content security policy with a nonce. */
export async function proxy(request: NextRequest): Promise<Response> {
  const { pathname } = request.nextUrl;
  const caller = callerOfFetch(request);
  const isSignIn = pathname === '/sign-in';
  // The sign-in page is the most expensive page that needs no session, so its requests are limited.
  const refusal =
    guardPage(caller, request.method) ??
    (isSignIn ? rateLimitAnonymous(caller, undefined, PAGE_COST) : undefined);
  if (refusal) return problemReply(refusal);
  if (isSignIn) return page(request);
  if (FOR_EVERYBODY.test(pathname)) return NextResponse.next();
  const entry = await admitWithLimits(caller);
  if (!entry.ok) return redirectOrRefuse(request, entry);
  const response = pathname.startsWith('/_next/') ? NextResponse.next() : page(request);
  if (entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

function redirectOrRefuse(request: NextRequest, { problem, headers }: Refusal): Response {
  if (problem.kind !== 'not-signed-in') return problemReply(problem, headers);
  const { pathname, searchParams } = request.nextUrl;
  searchParams.delete('_rsc');
  const search = searchParams.size > 0 ? `?${searchParams}` : '';
  // Next shortens a redirect to its own host to a path, so it is right behind a reverse proxy too.
  const response = NextResponse.redirect(new URL(signInPath(pathname + search), request.nextUrl));
  response.headers.set('cache-control', 'no-store');
  return response;
}

function page(request: NextRequest): NextResponse {
  const nonce = freshNonce();
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  // Next puts the nonce of the request's policy on its own scripts. Ours take it from x-nonce.
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}
