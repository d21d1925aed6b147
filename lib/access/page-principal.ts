import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { callerOfFetch } from './caller';
import { admit, type Principal } from './principal';

/** The principal of a page request; undefined if sign-in is required. */
export async function pagePrincipal(): Promise<Principal | undefined> {
  const entry = await admit(callerOfFetch({ headers: await headers() }));
  return entry.ok ? entry.principal : undefined;
}

/**
 * The principal of a page request. Redirects to the sign-in page if there is none. Every page calls it before
 * it reads any data.
 */
export async function requirePrincipal(): Promise<Principal> {
  return (await pagePrincipal()) ?? redirect('/sign-in');
}
