'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { clipped } from '@/lib/client/foreign-text';
import { prettyJson } from '@/lib/client/request-json';
import classes from './request-content.module.css';
import { LeftOut } from './request-field';
import { Section } from './request-section';

/** As much JSON as anybody reads; the whole of it is copied. */
const SHOWN_UNITS = 20_000;

/** The row as the service sent it, every digit kept. */
export function RawJson({ text, title = 'Raw JSON' }: { text: string; title?: string }) {
  // The end of a very long row is not indented for nobody to see.
  const shown = prettyJson(text.slice(0, SHOWN_UNITS));
  return (
    <Section title={title} beside={<CopyButton value={text} label="Copy the JSON of this row" />}>
      <RawText shown={shown} />
      <LeftOut text={text} shown={SHOWN_UNITS} />
    </Section>
  );
}

/** It scrolls by itself, so the keyboard must be able to reach it. */
const SCROLLABLE = { tabIndex: 0 };

function RawText({ shown }: { shown: string }) {
  const lines = shown.split('\n').map((line) => clipped(line, SHOWN_UNITS));
  return (
    <pre className={`${classes.json} foreign`} {...SCROLLABLE}>
      {lines.join('\n')}
    </pre>
  );
}
