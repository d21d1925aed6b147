'use client';
import { clipped } from '@/lib/client/foreign-text';
import type { ListedRecord } from '@/lib/client/related-requests';
import { decodeFailure } from '@/lib/domain/failure';
import classes from './request-content.module.css';
import { Field, Fields, TextField } from './request-field';
import { Section } from './request-section';

const SHOWN_UNITS = 2000;

/** Why it failed: selector, name and meaning as far as they are known, and what the service wrote. */
export function RequestFailure({ record }: { record: ListedRecord }) {
  const failure = decodeFailure(record);
  if (failure === undefined) return null;
  const isCallback = record.state.kind === 'completed';
  return (
    <Section title={isCallback ? 'Why the callback failed' : 'Why it failed'}>
      <p className={classes.verdict} data-tone="bad">
        <bdi>{clipped(failure.text, SHOWN_UNITS)}</bdi>
      </p>
      <Fields>
        {failure.name === undefined ? null : <Field name="Error">{failure.name}</Field>}
        {failure.meaning === undefined ? null : <Field name="Meaning">{failure.meaning}</Field>}
        {failure.selector === undefined ? null : <TextField name="Selector" value={failure.selector} />}
        <TextField
          name={isCallback ? 'Return value' : 'Reason'}
          value={failure.raw === '' ? undefined : failure.raw}
        />
      </Fields>
    </Section>
  );
}
