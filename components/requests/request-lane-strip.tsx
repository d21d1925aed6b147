'use client';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { LaneRange } from '@/components/ui/lane-layout';
import { LaneStrip } from '@/components/ui/lane-strip';
import { useLane } from '@/lib/client/diagnosis';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits, groupDigitsBriefly } from '@/lib/client/human-number';
import { laneRangePath } from '@/lib/client/lane-link';
import type { ListedRecord } from '@/lib/client/related-requests';
import { linkOfKey } from '@/lib/client/request-key';
import { useSteadyWords } from '@/lib/client/time-style';
import { WINDOW_MS } from '@/lib/domain/diagnosis/evidence';
import { useNetwork } from './networks-context';
import classes from './request-diagnosis.module.css';

const HOUR_MS = 3_600_000;

/** How far the strip reaches to either side; the first is what the diagnosis looks at anyway. */
const REACHES = [
  { ms: WINDOW_MS, label: '15 minutes' },
  { ms: HOUR_MS, label: '1 hour' },
  { ms: 6 * HOUR_MS, label: '6 hours' },
  { ms: 24 * HOUR_MS, label: '24 hours' },
] as const;

/** The strip around a request; a wider one on demand. */
export function RequestLaneStrip({ record, provider }: { record: ListedRecord; provider: string }) {
  const [reachMs, setReachMs] = useState<number>(WINDOW_MS);
  const { keeper, networkId, createdAt } = record;
  const network = useNetwork(networkId);
  const [fromMs, toMs] = [createdAt.ms - reachMs, createdAt.ms + reachMs];
  const { looked, again } = useLane({ keeper, networkId, provider, fromMs, toMs });
  const router = useRouter();
  const moment = useSteadyWords();
  const text = useMemo(
    () => ({ number: (digits: string) => clipped(groupDigitsBriefly(digits), 40), moment }),
    [moment],
  );
  const name = clipped(network.name, 60);
  const { answer, trouble } = looked ?? {};
  return (
    <div className={classes.laneParts}>
      <label className={classes.laneHead}>
        <span>
          Of <bdi>{name}</bdi> and this provider, to either side
        </span>
        <select value={reachMs} onChange={(event) => setReachMs(Number(event.currentTarget.value))}>
          {REACHES.map(({ ms, label }) => (
            <option key={ms} value={ms}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {trouble === undefined ? null : (
        <p className={classes.trouble} role="alert">
          {explainFailure(trouble.failure).title}.{' '}
          <button type="button" className={classes.textButton} onClick={again}>
            Try again
          </button>
        </p>
      )}
      {answer === undefined ? (
        <p className={classes.laneWaiting}>{trouble === undefined ? 'Looking…' : 'Not drawn.'}</p>
      ) : (
        <>
          <LaneStrip
            items={answer.items}
            figures={answer}
            text={text}
            label={`Requests on ${name} by sequence`}
            currentKey={record.key}
            onOpen={(key) => {
              const link = linkOfKey(key);
              if (link !== undefined) router.push(link.href);
            }}
            linkOfRange={(range: LaneRange) => laneRangePath({ keeper, networkId, provider }, range)}
          />
          <Unseen unseen={answer.unseen} unreadable={answer.unreadable} />
        </>
      )}
    </div>
  );
}

function Unseen({ unseen, unreadable }: { unseen: number; unreadable: number }) {
  if (unseen === 0 && unreadable === 0) return null;
  const parts = [
    ...(unseen === 0 ? [] : [`${groupDigits(String(unseen))} older rows of this stretch are not drawn`]),
    ...(unreadable === 0 ? [] : [`${groupDigits(String(unreadable))} rows can’t be read`]),
  ];
  return <p className={classes.soft}>Not complete: {parts.join('; ')}. Missing numbers may be among them.</p>;
}
