import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { callerOfFetch } from './caller';
import { admit, type Principal } from './principal';

/** Who opened this page; undefined for somebody who has to sign in first. */
export async function pagePrincipal(): Promise<Principal | undefined> {
  const entry = await admit(callerOfFetch({ headers: await headers() }));
  return entry.ok ? entry.principal : undefined;
}

/** Every page asks this first, before it asks anything of a service. Sends those away who have to sign in. */
export async function requirePrincipal(): Promise<Principal> {
  return (await pagePrincipal()) ?? redirect('/sign-in');
}
