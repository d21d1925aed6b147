'use client';
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import type { ExportProgress, ExportResult } from '@/lib/client/export-download';
import { progressWords, resultWords } from '@/lib/client/export-words';
import { clipped } from '@/lib/client/foreign-text';
import classes from './export-dialog.module.css';

const LONGEST_REASON = 700;

/** Keeps the focus within the dialog when the button that had it is gone. */
function useFocused<E extends HTMLElement>() {
  const element = useRef<E>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}

/** How far a running export is. It goes on when the dialog is closed. */
export function ExportProgressView({
  progress,
  onCancel,
  onClose,
}: {
  /** Undefined before the first rows. */
  progress: ExportProgress | undefined;
  onCancel: () => void;
  onClose: () => void;
}) {
  const cancel = useFocused<HTMLButtonElement>();
  const { rows, expected } = progress ?? { rows: 0, expected: undefined };
  return (
    <>
      <progress
        className={classes.bar}
        aria-label="Rows exported"
        max={Math.max(1, expected ?? 1)}
        value={expected === undefined ? undefined : rows}
      />
      <p className="num" data-export="running">
        {progress === undefined ? 'Asking for the first rows…' : progressWords(progress)}
      </p>
      <p className={classes.says}>
        Closing this window lets the export go on. Leaving the page would end it.
      </p>
      <div className={classes.actions}>
        <Button ref={cancel} onClick={onCancel}>
          Cancel
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </>
  );
}

/** How it ended: what there is now, and what it is worth. */
export function ExportResultView({ result }: { result: ExportResult }) {
  const place = useFocused<HTMLDivElement>();
  if (result.kind === 'cancelled') return null;
  const isComplete = result.kind === 'complete';
  return (
    <div
      ref={place}
      tabIndex={-1}
      role={isComplete ? 'status' : 'alert'}
      className={classes.result}
      data-export={result.kind}
    >
      <Icon name={isComplete ? 'check' : 'alert'} size={16} />
      {result.kind === 'failed' ? (
        <p>{failureWords(result)}</p>
      ) : (
        <p>{clipped(resultWords(result), LONGEST_REASON)}</p>
      )}
    </div>
  );
}

/** The limits of this dashboard are explained by its server: that of exports is another one than that of calls. */
function failureWords({ failure }: Extract<ExportResult, { kind: 'failed' }>): string {
  if (failure.kind === 'too-many' && failure.service === undefined) return failure.detail;
  const { title, said, todo } = explainFailure(failure);
  return [`Nothing was exported. ${title}.`, said, todo].filter((part) => part !== undefined).join(' ');
}
