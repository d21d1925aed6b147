import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { ADDRESS_HEADER, type Caller } from '@/lib/access/caller';
import { admit, type Principal } from './principal';

export async function pageCaller(): Promise<Caller> {
  const sent = await headers();
  return { header: (name) => sent.get(name), address: sent.get(ADDRESS_HEADER) ?? 'unknown' };
}

/** Who opened this page; undefined for somebody who has to sign in first. */
export async function pagePrincipal(): Promise<Principal | undefined> {
  const entry = await admit(await pageCaller());
  return entry.ok ? entry.principal : undefined;
}

/** Every page asks this first, before it asks anything of a service. Sends those away who have to sign in. */
export async function requirePrincipal(): Promise<Principal> {
  return (await pagePrincipal()) ?? redirect('/sign-in');
}
