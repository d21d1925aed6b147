'use client';
import { type FormEvent, useId, useState } from 'react';
import { LONGEST_NAME, viewName } from '@/lib/client/saved-views';
import classes from './saved-views.module.css';

/** Keeps the view on screen under a name; a name that exists is said to be replaced before it is. */
export function SaveViewForm({
  names,
  onSave,
}: {
  names: readonly string[];
  /** Tells why not, if so. */
  onSave: (name: string) => string | undefined;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const exists = names.includes(viewName(text) ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onSave(text);
    setProblem(refusal);
    if (refusal === undefined) setText('');
  };
  return (
    <form className={classes.save} onSubmit={submit}>
      <label htmlFor={id} className={classes.heading}>
        Save this view as
      </label>
      <div className={classes.row}>
        <input
          id={id}
          className="small-field"
          value={text}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          aria-invalid={problem !== undefined}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <button type="submit" className="small-button">
          {exists ? 'Replace' : 'Save'}
        </button>
      </div>
      {problem === undefined ? null : (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}
