import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { ADDRESS_HEADER } from './request-gate';
import { type Asker, admit, type Visitor } from './visitor';

/** Who asks for a page. */
export async function pageAsker(): Promise<Asker> {
  const sent = await headers();
  return { header: (name) => sent.get(name), address: sent.get(ADDRESS_HEADER) ?? 'unknown' };
}

/** Who opened this page; undefined for somebody who has to sign in first. */
export async function pageVisitor(): Promise<Visitor | undefined> {
  const entry = await admit(await pageAsker());
  return entry.ok ? entry.visitor : undefined;
}

/** Every page asks this first, before it asks anything of a service. Sends those away who have to sign in. */
export async function requireVisitor(): Promise<Visitor> {
  return (await pageVisitor()) ?? redirect('/sign-in');
}
