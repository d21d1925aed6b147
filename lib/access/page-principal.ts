import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { callerOfFetch } from './caller';
import { admit, type Principal } from './principal';

/** Undefined if sign-in is required. */
export async function pagePrincipal(): Promise<Principal | undefined> {
  const entry = await admit(callerOfFetch({ headers: await headers() }));
  return entry.ok ? entry.principal : undefined;
}

/** Redirects to the sign-in page. Every page calls this before it reads any data. */
export async function requirePrincipal(): Promise<Principal> {
  return (await pagePrincipal()) ?? redirect('/sign-in');
}
