'use client';
import type { ReactNode } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { CopyButton } from './copy-button';
import classes from './field.module.css';
import { Icon } from './icons';
import { MutedInline } from './text';

/** Characters of a value that are shown. The copy has all. */
export const SHOWN_UNITS = 2000;

export type FieldProps = {
  name: string;
  hint?: string | undefined;
  /** Text from the service, shown up to `SHOWN_UNITS`, copied in full. A dash is shown if it sent none. */
  value?: string | null | undefined;
  /** Link to the block explorer, for a well-formed value. */
  href?: string | undefined;
  /** Shown in place of the value, which is then only copied. */
  children?: ReactNode;
};

/** A term of a `dl` with its value. */
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
    // An empty place could look like a rendering fault.
    return (
      <MutedInline title={`No ${name.toLowerCase()} in the log`}>
        —<span className="sr-only">not given</span>
      </MutedInline>
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

/** The number of characters that are not shown. */
export function LeftOut({ text, shown }: { text: string; shown: number }) {
  const left = text.length - shown;
  if (left <= 0) return null;
  return <MutedInline size="sm"> {groupDigits(left)} more characters, copied in full.</MutedInline>;
}
