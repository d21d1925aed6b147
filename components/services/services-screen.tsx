'use client';
import { Stack } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { INSPECTOR_ANCHOR, INSPECTOR_PATH } from '@/lib/core/payload-link';
import type { ServicesReport } from '@/lib/core/service-report';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { IndexBoard } from './index-board';
import { ServiceBoard } from './service-board';
import classes from './services.module.css';

export function ServicesScreen({ first, index }: { first: ServicesReport; index: readonly KeeperStatus[] }) {
  const router = useRouter();
  // Only the browser knows the fragment of a URL.
  useEffect(() => {
    if (window.location.hash === `#${INSPECTOR_ANCHOR}`) router.replace(INSPECTOR_PATH);
  }, [router]);
  return (
    <Stack gap="xl" className={`page ${classes.page}`}>
      <ServiceBoard first={first} isIndexLost={index.some(({ storage }) => storage === 'memory')} />
      <IndexBoard first={index} />
    </Stack>
  );
}
