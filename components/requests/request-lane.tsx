'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { ListedRecord } from '@/lib/client/related-requests';
import classes from './request-diagnosis.module.css';
import { Section } from './request-section';
import { OnceSeen } from './request-seen';

const RequestLaneStrip = dynamic(() => import('./request-lane-strip').then((part) => part.RequestLaneStrip), {
  ssr: false,
  loading: () => <p className={classes.laneWaiting}>Loading…</p>,
});

const WAITING = <p className={classes.laneWaiting}>Looking…</p>;

/**
 * The numbers around the request, of its network and provider. It costs calls: for a pending request they are made
 * when it comes into sight, for others when somebody asks.
 */
export function RequestLane({ record }: { record: ListedRecord }) {
  const [wanted, setWanted] = useState<'yes' | 'no'>(record.state.kind === 'pending' ? 'yes' : 'no');
  if (record.provider === undefined) return null;
  return (
    <Section title="Sequence lane">
      {wanted === 'no' ? (
        <p>
          <button type="button" className={classes.textButton} onClick={() => setWanted('yes')}>
            Draw the numbers around this one
          </button>
        </p>
      ) : (
        <OnceSeen before={WAITING}>
          <RequestLaneStrip record={record} provider={record.provider} />
        </OnceSeen>
      )}
    </Section>
  );
}
