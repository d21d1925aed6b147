'use client';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { useMoment } from '@/lib/client/time-style';
import type { WireTime } from '@/lib/domain/request-record';

import classes from './request-content.module.css';
import { Missing } from './request-missing';

/** As much of a value as anybody reads; the whole of it is copied. */
const SHOWN_UNITS = 2000;

/** Fields below each other, names beside values where there is room. */
export function Fields({ children }: { children: ReactNode }) {
  return <dl className={classes.fields}>{children}</dl>;
}

/** A name and whatever stands for its value. `copied` is what the button copies; without it there is none. */
export function Field({ name, copied, children }: { name: string; copied?: string; children: ReactNode }) {
  return (
    <div className={classes.field}>
      <dt>{name}</dt>
      <dd>
        <span className={classes.value}>{children}</span>
        {copied === undefined ? null : <CopyButton value={copied} label={`Copy ${name.toLowerCase()}`} />}
      </dd>
    </div>
  );
}

/** How much of a value is left out of what is shown. */
export function LeftOut({ text, shown }: { text: string; shown: number }) {
  const left = text.length - shown;
  return left > 0 ? (
    <span className={classes.faint}> {groupDigits(String(left))} more characters are copied, not shown.</span>
  ) : null;
}

/** A text of the service, whole as far as anybody reads it. */
export function TextField({ name, value }: { name: string; value: string | null | undefined }) {
  const given = value ?? undefined;
  return (
    <Field name={name} copied={given}>
      {given === undefined ? <Missing what={name.toLowerCase()} /> : <ForeignText text={given} />}
    </Field>
  );
}

function ForeignText({ text }: { text: string }) {
  return (
    <>
      <bdi className="mono">{text === '' ? '(empty)' : clipped(text, SHOWN_UNITS)}</bdi>
      <LeftOut text={text} shown={SHOWN_UNITS} />
    </>
  );
}

/** Hex with a link where the block explorer is known; `explorerUrl` is given only for a well-formed value. */
export function HexField({
  name,
  value,
  explorerUrl,
}: {
  name: string;
  value: string | null | undefined;
  explorerUrl?: string;
}) {
  if (value === undefined || value === null || explorerUrl === undefined) {
    return <TextField name={name} value={value} />;
  }
  return (
    <Field name={name} copied={value}>
      <a href={explorerUrl} target="_blank" rel="noreferrer noopener" title="Opens in the block explorer">
        <bdi className="mono">{value}</bdi> <Icon name="external" size={11} />
        <span className="sr-only">, in the block explorer</span>
      </a>
    </Field>
  );
}

/** A moment as the dashboard shows times, and beneath it what the service wrote, to its last digit. */
export function MomentField({ name, time }: { name: string; time: WireTime | undefined }) {
  if (time === undefined) return <TextField name={name} value={undefined} />;
  return (
    <Field name={name} copied={time.text}>
      <Moment time={time} />
      <span className={classes.wireTime}>
        <bdi className="mono">{clipped(time.text, 60)}</bdi>
      </span>
    </Field>
  );
}

/** A moment as the dashboard shows times; the exact one on hover. */
export function Moment({ time }: { time: WireTime }) {
  const { text, title, iso } = useMoment(time.ms, time.text);
  return (
    <time dateTime={iso} title={title}>
      {text}
    </time>
  );
}
