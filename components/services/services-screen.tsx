'use client';
import { Stack, Text, Title } from '@mantine/core';
import { useHash } from '@mantine/hooks';
import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { INSPECT_PARAM, INSPECTOR_ANCHOR } from '@/lib/core/payload-link';
import type { ServicesReport } from '@/lib/core/service-report';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { IndexBoard } from './index-board';
import { ServiceBoard } from './service-board';

const PayloadInspector = dynamic(
  () => orNotice(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);

/** How the services are and what is kept of them, and a tool about what they sign, which is loaded when it is opened. */
export function ServicesScreen({ first, index }: { first: ServicesReport; index: readonly KeeperStatus[] }) {
  return (
    <Stack gap="xl" w="100%" maw="100rem" mx="auto" p="md" pb="xl">
      <h1 className="sr-only">Services</h1>
      <ServiceBoard first={first} />
      <IndexBoard first={index} />
      <InspectorOnDemand>
        <PayloadInspector />
      </InspectorOnDemand>
    </Stack>
  );
}

/**
 * The inspector is loaded when its link is followed: by its name behind the `#`, or by the parameter that names an update.
 * It stays open from then on. `children` brings a section with this id and title of its own.
 */
function InspectorOnDemand({ children }: { children: ReactNode }) {
  const search = useSearchParams();
  const [hash] = useHash();
  const isAsked = hash === `#${INSPECTOR_ANCHOR}` || search?.has(INSPECT_PARAM) === true;
  const [wasAsked, setWasAsked] = useState<'pressed' | 'linked'>();
  if (isAsked && wasAsked === undefined) setWasAsked('linked');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The link that was pressed is gone with what it stood in.
    if (wasAsked === 'pressed') place.current?.focus({ preventScroll: true });
  }, [wasAsked]);
  return (
    <div ref={place} tabIndex={-1} style={{ outline: 'none' }}>
      {wasAsked === undefined ? (
        <Stack component="section" gap="xs" id={INSPECTOR_ANCHOR} aria-labelledby="closed-inspector-title">
          <Title order={2} id="closed-inspector-title">
            Payload inspector
          </Title>
          <Text c="dimmed">
            Takes a signed price update apart: its signatures, its proofs, and every price in it.
          </Text>
          <p>
            <a href={`#${INSPECTOR_ANCHOR}`} onClick={() => setWasAsked('pressed')}>
              Open the payload inspector
            </a>
          </p>
        </Stack>
      ) : (
        children
      )}
    </div>
  );
}
