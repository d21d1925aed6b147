'use client';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { groupDigitsBriefly } from '@/lib/core/numbers';
import { requestDuration } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration, formatSpan } from '@/lib/core/time';
import type { ListedRecord, Related, TypicalLatency } from '@/lib/requests/answers';
import { type GasBar, type GasBars, gasBars } from '@/lib/requests/cell-text';
import classes from './request.module.css';
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
          {latency && length ? <LatencyScale ms={length.ms} latency={latency} /> : null}
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

/** `p50 2.1 s · p95 9.4 s · last 7 d`. */
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

/** A latency among the typical ones: the band reaches to p95, its line is p50. */
function LatencyScale({ ms, latency }: { ms: number; latency: TypicalLatency }) {
  const end = Math.max(latency.p95Ms * 1.25, Math.min(ms, latency.p95Ms * 4), 1);
  const at = (value: number) => percent(Math.min(1, value / end));
  return (
    <span className={classes.scale} aria-hidden="true">
      <span className={classes.track}>
        <span className={classes.bar} data-of="typical" style={{ width: at(latency.p95Ms) }} />
      </span>
      <span className={classes.pin} data-place="p50" style={{ insetInlineStart: at(latency.p50Ms) }} />
      <span
        className={classes.pin}
        data-place={latencyPlace(ms, latency)}
        style={{ insetInlineStart: at(ms) }}
      />
    </span>
  );
}

/** `98.50` → `98.5%`. */
export function percentText(percent: string): string {
  return `${Number(percent).toFixed(1).replace(/\.0$/, '')}%`;
}

/** Gas limit, gas of the callback and of the whole reveal, as exact figures and as bars on one scale. */
export function Gas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  const used = state.kind === 'completed' ? state : undefined;
  const bars = gasBars({ gasLimit, gasUsed: used?.gasUsed, callbackGasUsed: used?.callbackGasUsed });
  return (
    <Section title="Gas">
      <Fields>
        <GasField name="Callback gas limit" bar={bars.limit} />
        {used === undefined ? null : (
          <>
            <GasField name="Callback gas used" bar={bars.callback} of="of the limit" />
            <GasField name="Reveal gas used" hint="Of the whole transaction" bar={bars.transaction} />
          </>
        )}
      </Fields>
      {used === undefined ? null : <Bars bars={bars} />}
    </Section>
  );
}

type GasProps = { name: string; hint?: string; bar: GasBar | undefined; of?: string };

function GasField({ name, hint, bar, of }: GasProps) {
  if (bar === undefined) return <TextField name={name} hint={hint} value={undefined} />;
  return (
    <Field name={name} hint={hint} copied={bar.digits}>
      <span className="num">{clipped(groupDigitsBriefly(bar.digits), 100)}</span>
      {of === undefined || bar.percent === undefined ? null : (
        <Text span c="dimmed">
          {' '}
          · <span className="num">{clipped(percentText(bar.percent), 90)}</span> {of}
        </Text>
      )}
    </Field>
  );
}

/** The figures above as lengths; the mark is the limit. Nothing is drawn without a limit to compare with. */
function Bars({ bars: { limit, callback, transaction } }: { bars: GasBars }) {
  const bars = Object.entries({ callback, transaction }).filter(([, bar]) => bar !== undefined);
  if (limit === undefined || bars.length === 0) return null;
  return (
    <div className={classes.scale} aria-hidden="true">
      {bars.map(([of, bar]) => (
        <div key={of} className={classes.track}>
          <div className={classes.bar} data-of={of} style={{ width: percent(bar?.length ?? 0) }} />
        </div>
      ))}
      <div className={classes.pin} style={{ insetInlineStart: percent(limit.length) }} />
    </div>
  );
}

function percent(length: number): string {
  return `${(length * 100).toFixed(2)}%`;
}
