'use client';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';
import { INSPECT_PARAM, INSPECTOR_ANCHOR } from '@/lib/core/payload-link';
import type { ServicesReport } from '@/lib/core/service-report';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { IndexBoard } from './index-board';
import { PartOnDemand } from './part-on-demand';
import { ServiceBoard } from './service-board';
import classes from './services.module.css';

const PayloadInspector = dynamic(
  () => orNotice(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);

/** How the services are and what is kept of them, and a tool about what they sign, which is loaded when it is opened. */
export function ServicesScreen({ first, index }: { first: ServicesReport; index: readonly KeeperStatus[] }) {
  return (
    <div className={classes.screen}>
      <h1 className="sr-only">Services</h1>
      <ServiceBoard first={first} />
      <IndexBoard first={index} />
      <PartOnDemand
        id={INSPECTOR_ANCHOR}
        title="Payload inspector"
        params={INSPECT_PARAMS}
        lead="Takes a signed price update apart: its signatures, its proofs, and every price in it."
      >
        <PayloadInspector />
      </PartOnDemand>
    </div>
  );
}

/** Parameters of a link that opens the part. */
const INSPECT_PARAMS = [INSPECT_PARAM];
