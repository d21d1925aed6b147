import { Stack } from '@mantine/core';
import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import type { PageProps } from '@/app/search-params';
import { BrandMark } from '@/components/shell/navigation';
import classes from '@/components/shell/shell.module.css';
import { SignInForm, SignOutForm } from '@/components/shell/sign-in-form';
import { Muted } from '@/components/ui/text';
import { pagePrincipal } from '@/lib/access/page-principal';
import { returnPath } from '@/lib/core/text';
import { currentSettings } from '@/lib/platform/settings';

export const metadata: Metadata = { title: 'Sign in' };

/** The sign-in page; with `leave=yes` it signs out. */
export default async function SignInPage({ searchParams }: PageProps) {
  const { next: wanted, leave } = await searchParams;
  const next = returnPath([wanted ?? []].flat()[0]);
  const { access } = currentSettings();
  const principal = await pagePrincipal();
  const leaves = principal !== undefined && access.kind === 'password' && leave !== undefined;
  // `returnPath` has checked the path, but its type is not that of a route.
  if (principal !== undefined && !leaves) redirect(next as '/');
  return (
    <Stack component="main" gap="md" className={classes.signIn}>
      <BrandMark size={44} />
      <div>
        <h1>{leaves ? 'Sign out of Keeperscope' : 'Sign in to Keeperscope'}</h1>
        <Muted>Requests, callbacks and price feeds of your keepers</Muted>
      </div>
      {leaves ? <SignOutForm /> : access.kind === 'password' ? <SignInForm next={next} /> : <ProxyNote />}
    </Stack>
  );
}

function ProxyNote() {
  return <p>Sign-in is handled by a proxy. Open the dashboard at the proxy’s address.</p>;
}
