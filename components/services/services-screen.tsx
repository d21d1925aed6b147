'use client';
import { Stack } from '@mantine/core';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';
import type { ServicesReport } from '@/lib/core/service-report';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { IndexBoard } from './index-board';
import { ServiceBoard } from './service-board';

/** Loaded beside the page: the code that verifies signatures is heavier than the page. */
const PayloadInspector = dynamic(
  () => orNotice(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);

/** How the services are and what is kept of them, and a tool about what they sign. */
export function ServicesScreen({ first, index }: { first: ServicesReport; index: readonly KeeperStatus[] }) {
  return (
    <Stack gap="xl" className="page">
      <h1 className="sr-only">Services</h1>
      <ServiceBoard first={first} />
      <IndexBoard first={index} />
      <PayloadInspector />
    </Stack>
  );
}
