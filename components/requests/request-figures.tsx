'use client';
import { Progress, Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { Field, type FieldProps } from '@/components/ui/field';
import { Dim } from '@/components/ui/text';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { requestDuration } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration, formatSpan } from '@/lib/core/time';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/answers';
import { percentOf } from '@/lib/requests/cell-text';
import { Moment, Section } from './request-parts';

/** Where a latency, or the age of a request that has not finished, lies among the typical ones. */
function latencyPlace(length: { kind: 'duration' | 'age'; ms: number }, { p50Ms, p95Ms }: TypicalLatency) {
  const place = length.ms <= p50Ms ? 0 : length.ms <= p95Ms ? 1 : 2;
  const labels = {
    duration: ['Faster than p50', 'Between p50 and p95', 'Slower than p95'],
    age: ['Below p50 so far', 'Past p50', 'Past p95'],
  };
  return { label: labels[length.kind][place], isSlow: place === 2 };
}

/** From the request to its outcome, and how that compares with what is typical. `related`: undefined while looked up. */
export function Timeline({ record, related }: { record: ListedRecord; related: Related | undefined }) {
  const nowMs = useNow();
  const { createdAt, updatedAt, state } = record;
  const ended = { completed: 'Answered', failed: 'Failed' }[state.kind as string] ?? 'Updated';
  const length = requestDuration(record, nowMs);
  const latency = related?.latency;
  const place = length && latency && latencyPlace(length, latency);
  return (
    <Section title="Timeline">
      <dl>
        <Field name="Requested" hint="When the keeper logged the request" value={createdAt.text}>
          <Moment time={createdAt} />
        </Field>
        <Field name={ended} hint="When the keeper last updated it" value={updatedAt?.text}>
          {updatedAt === undefined ? undefined : <Moment time={updatedAt} />}
        </Field>
        <Field name={length?.kind === 'age' ? 'Age' : 'Latency'}>
          {length === undefined ? undefined : (
            <span className="num">
              {length.kind === 'age' ? formatAge(length.ms) : formatDuration(length.ms)}
              <Text span c={place?.isSlow ? 'var(--ks-warn)' : 'dimmed'}>
                {place === undefined ? '' : ` · ${place.label}`}
              </Text>
            </span>
          )}
        </Field>
        <Field name="Typical latency">
          {latency === undefined ? (
            <Dim>{related === undefined ? 'Loading…' : 'Too few requests'}</Dim>
          ) : (
            <Typical latency={latency} />
          )}
        </Field>
      </dl>
    </Section>
  );
}

/** `p50 2.1 s · p95 9.4 s · last 7 d`. */
function Typical({ latency: { count, days, p50Ms, p95Ms } }: { latency: TypicalLatency }) {
  const span = days === undefined ? 'all time' : `last ${formatSpan(days * 86_400_000)}`;
  const of = `${groupDigitsBriefly(String(count))} requests of this network and keeper, ${span}`;
  return (
    <span className="num" title={of}>
      p50 {formatDuration(p50Ms)} · p95 {formatDuration(p95Ms)} · {span}
    </span>
  );
}

/** `98.50` → `98.5%`. */
export function percentText(percent: string): string {
  return `${Number(percent).toFixed(1).replace(/\.0$/, '')}%`;
}

/** Gas limit, gas of the callback as a share of it, and of the whole transaction, as exact figures. */
export function Gas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  const used = state.kind === 'completed' ? state : undefined;
  const percent = percentOf(used?.callbackGasUsed, gasLimit);
  return (
    <Section title="Gas">
      <dl>
        <GasField name="Callback gas limit" hint="Set in the request" value={gasLimit} />
        {used === undefined ? null : (
          <>
            <GasField name="Callback gas used" value={used.callbackGasUsed}>
              {percent === undefined ? null : (
                <>
                  <Dim className="num"> · {clipped(percentText(percent), 90)} of the limit</Dim>
                  <Progress value={Math.min(100, Number(percent))} aria-hidden="true" mt={4} miw="12rem" />
                </>
              )}
            </GasField>
            <GasField name="Transaction gas used" hint="Of the whole transaction" value={used.gasUsed} />
          </>
        )}
      </dl>
    </Section>
  );
}

function GasField({ children, ...field }: FieldProps) {
  if (field.value == null) return <Field {...field} />;
  return (
    <Field {...field}>
      <span className="num">{clipped(groupDigitsBriefly(field.value), 100)}</span>
      {children}
    </Field>
  );
}
