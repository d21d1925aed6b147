'use client';
import type { ReactNode } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { CopyButton } from './copy-button';
import classes from './field.module.css';
import { Icon } from './icons';
import { Dim } from './text';

/** As much of a value as anybody reads; the whole of it is copied. */
export const SHOWN_UNITS = 2000;

export type FieldProps = {
  name: string;
  /** What the name means. */
  hint?: string | undefined;
  /** A text of the service: shown as far as anybody reads it, copied whole; a dash where it sent none. */
  value?: string | null | undefined;
  /** Of the block explorer; given only for a well-formed value. */
  href?: string | undefined;
  /** Stands for the value, which is then only copied. */
  children?: ReactNode;
};

/** A name and its value, for a `dl`. */
export function Field({ name, hint, value, href, children }: FieldProps) {
  return (
    <div className={classes.field}>
      <dt title={hint}>{name}</dt>
      <dd>
        <span>{children ?? <Value name={name} value={value} href={href} />}</span>
        {value == null ? null : <CopyButton value={value} label={`Copy ${name.toLowerCase()}`} />}
      </dd>
    </div>
  );
}

function Value({ name, value, href }: FieldProps) {
  if (value == null) {
    // Said, because an empty place could also be a fault of ours.
    return (
      <Dim title={`No ${name.toLowerCase()} in the log`}>
        —<span className="sr-only">not given</span>
      </Dim>
    );
  }
  if (href !== undefined) {
    return (
      <a href={href} target="_blank" rel="noreferrer noopener" title="Open in block explorer">
        <bdi className="mono">{value}</bdi> <Icon name="external" size={11} />
        <span className="sr-only">, in block explorer</span>
      </a>
    );
  }
  return (
    <>
      <bdi className="mono">{value === '' ? '(empty)' : clipped(value, SHOWN_UNITS)}</bdi>
      <LeftOut text={value} shown={SHOWN_UNITS} />
    </>
  );
}

/** How much of a value is left out of what is shown. */
export function LeftOut({ text, shown }: { text: string; shown: number }) {
  const left = text.length - shown;
  if (left <= 0) return null;
  return <Dim size="sm"> {groupDigits(left)} more characters, copied in full.</Dim>;
}
