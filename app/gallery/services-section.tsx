'use client';
import { LookupTable } from '@/components/prices/lookup-table';
import { PayloadResult } from '@/components/services/payload-result';
import { ServicePanel } from '@/components/services/service-panel';
import { UpgradeVerdictCard } from '@/components/services/upgrade-verdict';
import { unixMillis } from '@/lib/domain/units';
import { judgeUpgrade } from '@/lib/domain/upgrade-check-verdict';
import {
  FAULTY_PAYLOAD,
  HALF_EVIDENCE,
  lookupFixture,
  serviceFixture,
  UPGRADED_EVIDENCE,
  WHOLE_PAYLOAD,
} from './services-fixtures';
import { GallerySection, Specimen } from './specimen';

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Lookups of prices, the services and the tools about what they send. */
export function ServicesSection({ nowMs }: { nowMs: number }) {
  const lookup = lookupFixture(nowMs);
  const at = unixMillis(nowMs);
  return (
    <GallerySection name="services">
      <Specimen name="Lookup: apart, within, failed, waiting">
        <LookupTable ask={lookup.ask} state={lookup.state} channel="fixed_rate@200ms" />
      </Specimen>
      {(['well', 'refused', 'limited', 'unconfigured'] as const).map((standing) => (
        <Specimen key={standing} name={`Service: ${standing}`}>
          <ServicePanel service={serviceFixture(standing, nowMs)} nowMs={nowMs} />
        </Specimen>
      ))}
      <Specimen name="Verdict: upgraded">
        <UpgradeVerdictCard verdict={judgeUpgrade(UPGRADED_EVIDENCE, at)} />
      </Specimen>
      <Specimen name="Verdict: half a check">
        <UpgradeVerdictCard verdict={judgeUpgrade(HALF_EVIDENCE, at)} />
      </Specimen>
      <Specimen name="Payload taken apart">
        <PayloadResult inspection={WHOLE_PAYLOAD} names={NO_NAMES} />
      </Specimen>
      <Specimen name="Payload that can’t be read">
        <PayloadResult inspection={FAULTY_PAYLOAD} names={NO_NAMES} />
      </Specimen>
    </GallerySection>
  );
}
