'use client';
import dynamic from 'next/dynamic';
import type { ListedRecord } from '@/lib/client/related-requests';
import classes from './request-diagnosis.module.css';
import { Section } from './request-section';
import { OnceSeen } from './request-seen';

const RequestDiagnosisParts = dynamic(
  () => import('./request-diagnosis-parts').then((part) => part.RequestDiagnosisParts),
  { ssr: false, loading: () => WAITING },
);

const WAITING = <p className={classes.waiting}>Loading the diagnosis…</p>;

/** Why a pending request is pending, as far as the log can tell. Its evidence is gathered when it is on screen. */
export function RequestDiagnosis({ record }: { record: ListedRecord }) {
  if (record.state.kind !== 'pending') return null;
  return (
    <Section title="Diagnosis">
      <div className={classes.diagnosis}>
        <OnceSeen key={record.key} before={WAITING}>
          <RequestDiagnosisParts record={record} />
        </OnceSeen>
      </div>
    </Section>
  );
}
