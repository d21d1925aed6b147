'use client';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { requestDuration } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration, formatSpan } from '@/lib/core/time';
import { percentOf } from '@/lib/requests/cell-text';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/one';
import { Field, Fields, MomentField, Section, TextField } from './request-parts';
import { useTableClock } from './requests-context';

type Props = {
  record: ListedRecord;
  /** Undefined while it is looked up. */
  related: Related | undefined;
};

/** From the request to its outcome, and how that compares with what is typical on the network. */
export function Timeline({ record, related }: Props) {
  const nowMs = useTableClock();
  const ended = { completed: 'Revealed', failed: 'Failed' }[record.state.kind as string] ?? 'Updated';
  const length = requestDuration(record, nowMs);
  const latency = related?.latency;
  const place = length && latency && latencyPlace(length.ms, latency);
  return (
    <Section title="Timeline">
      <Fields>
        <MomentField name="Requested" hint="When the keeper logged the request" time={record.createdAt} />
        <MomentField name={ended} hint="When the keeper last updated it" time={record.updatedAt} />
        {length === undefined ? (
          <TextField name="Latency" value={undefined} />
        ) : (
          <Field name={length.kind === 'age' ? 'Age' : 'Latency'}>
            <span className="num">
              {length.kind === 'age' ? formatAge(length.ms) : formatDuration(length.ms)}
            </span>
            {place === undefined ? null : (
              <Text span c={place === 'slow' ? 'var(--ks-warn)' : 'dimmed'}>
                {' '}
                · {PLACE_LABELS[length.kind][place]}
              </Text>
            )}
          </Field>
        )}
        <Field name="Typical latency">
          <Typical related={related} />
        </Field>
      </Fields>
    </Section>
  );
}

/** Where a latency, or the age of a request that has not finished, lies among the typical ones. */
function latencyPlace(ms: number, { p50Ms, p95Ms }: TypicalLatency): 'fast' | 'usual' | 'slow' {
  if (ms <= p50Ms) return 'fast';
  return ms <= p95Ms ? 'usual' : 'slow';
}

const PLACE_LABELS: Record<'duration' | 'age', Record<ReturnType<typeof latencyPlace>, string>> = {
  duration: { fast: 'Faster than p50', usual: 'Between p50 and p95', slow: 'Slower than p95' },
  age: { fast: 'Below p50 so far', usual: 'Past p50', slow: 'Past p95' },
};

function Typical({ related }: Pick<Props, 'related'>): ReactNode {
  if (related?.latency === undefined) {
    return (
      <Text span c="dimmed">
        {related === undefined ? 'Loading…' : 'Too few requests'}
      </Text>
    );
  }
  const { count, days, p50Ms, p95Ms } = related.latency;
  const span = days === undefined ? 'all time' : `last ${formatSpan(days * 86_400_000)}`;
  const of = `${groupDigitsBriefly(String(count))} requests of this network and keeper, ${span}`;
  return (
    <span className="num" title={of}>
      p50 {formatDuration(p50Ms)} · p95 {formatDuration(p95Ms)}
      <Text span c="dimmed">
        {' '}
        · {span}
      </Text>
    </span>
  );
}

/** `98.50` → `98.5%`. */
export function percentText(percent: string): string {
  return `${Number(percent).toFixed(1).replace(/\.0$/, '')}%`;
}

/** Gas limit, gas of the callback and of the whole reveal, exact. */
export function Gas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  const used = state.kind === 'completed' ? state : undefined;
  return (
    <Section title="Gas">
      <Fields>
        <GasField name="Callback gas limit" digits={gasLimit} />
        {used === undefined ? null : (
          <>
            <GasField name="Callback gas used" digits={used.callbackGasUsed} of={gasLimit} />
            <GasField name="Reveal gas used" hint="Of the whole transaction" digits={used.gasUsed} />
          </>
        )}
      </Fields>
    </Section>
  );
}

type GasProps = { name: string; hint?: string; digits: string | undefined; of?: string | undefined };

function GasField({ name, hint, digits, of }: GasProps) {
  if (digits === undefined) return <TextField name={name} hint={hint} value={undefined} />;
  const percent = percentOf(digits, of);
  return (
    <Field name={name} hint={hint} copied={digits}>
      <span className="num">{clipped(groupDigitsBriefly(digits), 100)}</span>
      {percent === undefined ? null : (
        <Text span c="dimmed">
          {' '}
          · <span className="num">{clipped(percentText(percent), 90)}</span> of the limit
        </Text>
      )}
    </Field>
  );
}
