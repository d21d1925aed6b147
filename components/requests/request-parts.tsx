'use client';
import { Button } from '@mantine/core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useMoment } from '@/components/ui/time-style';
import { groupDigits } from '@/lib/core/numbers';
import type { WireTime } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import classes from './request.module.css';

/** As much of a value as anybody reads; the whole of it is copied. */
export const SHOWN_UNITS = 2000;

const Heading = createContext<'h2' | 'h3'>('h3');

/** The rank of the headings of sections: the page begins with a first one, the panel with a second. */
export function SectionHeadings({ rank, children }: { rank: 'h2' | 'h3'; children: ReactNode }) {
  return <Heading value={rank}>{children}</Heading>;
}

/** One part of what is known of a request. Found by its heading: a dozen named regions would lead nobody. */
export function Section({
  title,
  beside,
  children,
}: {
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}) {
  const Rank = useContext(Heading);
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <Rank className={classes.sectionTitle}>{title}</Rank>
        {beside}
      </div>
      {children}
    </section>
  );
}

/** Fields below each other, names beside values where there is room. */
export function Fields({ children }: { children: ReactNode }) {
  return <dl className={classes.fields}>{children}</dl>;
}

/** A name and whatever stands for its value. `copied` is what the button copies; without it there is none. */
export function Field({
  name,
  hint,
  copied,
  children,
}: {
  name: string;
  /** What the name means. */
  hint?: string;
  copied?: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.field}>
      <dt title={hint}>{name}</dt>
      <dd>
        <span className={classes.value}>{children}</span>
        {copied === undefined ? null : <CopyButton value={copied} label={`Copy ${name.toLowerCase()}`} />}
      </dd>
    </div>
  );
}

/** A text of the service, whole as far as anybody reads it; a dash where it sent none. */
export function TextField({
  name,
  hint,
  value,
}: {
  name: string;
  hint?: string;
  value: string | null | undefined;
}) {
  const given = value ?? undefined;
  return (
    <Field name={name} hint={hint} copied={given}>
      {given === undefined ? (
        <Missing what={name.toLowerCase()} />
      ) : (
        <>
          <bdi className="mono">{given === '' ? '(empty)' : clipped(given, SHOWN_UNITS)}</bdi>
          <LeftOut text={given} shown={SHOWN_UNITS} />
        </>
      )}
    </Field>
  );
}

/** Hex with a link where the block explorer is known; `explorerUrl` is given only for a well-formed value. */
export function HexField({
  name,
  hint,
  value,
  explorerUrl,
}: {
  name: string;
  hint?: string;
  value: string | null | undefined;
  explorerUrl?: string;
}) {
  if (value === undefined || value === null || explorerUrl === undefined) {
    return <TextField name={name} hint={hint} value={value} />;
  }
  return (
    <Field name={name} hint={hint} copied={value}>
      <a href={explorerUrl} target="_blank" rel="noreferrer noopener" title="Open in block explorer">
        <bdi className="mono">{value}</bdi> <Icon name="external" size={11} />
        <span className="sr-only">, in block explorer</span>
      </a>
    </Field>
  );
}

/** A moment as the dashboard shows times; what the service wrote, to its last digit, is its title and what is copied. */
export function MomentField({
  name,
  hint,
  time,
}: {
  name: string;
  hint?: string;
  time: WireTime | undefined;
}) {
  if (time === undefined) return <TextField name={name} hint={hint} value={undefined} />;
  return (
    <Field name={name} hint={hint} copied={time.text}>
      <Moment time={time} />
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

/** The service sent no value: said, because an empty place could also be a fault of ours. */
export function Missing({ what }: { what: string }) {
  return (
    <span className={classes.faint} title={`No ${what} from the service`}>
      —<span className="sr-only">not given</span>
    </span>
  );
}

/** How much of a value is left out of what is shown. */
export function LeftOut({ text, shown }: { text: string; shown: number }) {
  const left = text.length - shown;
  if (left <= 0) return null;
  return <span className={classes.faint}> {groupDigits(String(left))} more characters, copied in full.</span>;
}

/** Text for a terminal. */
export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.command}>
      <pre className="foreign">{text}</pre>
      <CopyButton value={text} label={label} />
    </div>
  );
}

const COPIED_MS = 1500;

/** Copies the full address of a path of this dashboard. */
export function CopyLink({ path }: { path: string }) {
  const [result, setResult] = useState<'copied' | 'refused'>();
  async function copy() {
    try {
      await navigator.clipboard.writeText(new URL(path, window.location.href).href);
      setResult('copied');
    } catch {
      // Over plain HTTP from another machine browsers have no clipboard.
      setResult('refused');
    }
    setTimeout(() => setResult(undefined), COPIED_MS);
  }
  const words = { copied: 'Link copied', refused: 'Clipboard blocked' };
  return (
    <Button size="compact-xs" onClick={() => void copy()} aria-live="polite">
      {result === undefined ? 'Copy link' : words[result]}
    </Button>
  );
}
