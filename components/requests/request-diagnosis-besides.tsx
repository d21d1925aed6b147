'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { useMomentWords } from '@/lib/client/time-style';
import type { DiagnosisAnswer } from '@/lib/contract/codec/triage-detail';
import { CANNOT_BE_KNOWN, NEVER_THE_CAUSE, PENDING_MEANS } from '@/lib/domain/diagnosis/limits-of-knowledge';
import { NO_RETRY_YET, nextSteps } from '@/lib/domain/diagnosis/next-steps';
import classes from './request-diagnosis.module.css';

/** What to do, what no log can tell, as of when, and the whole as a paper. */
export function DiagnosisBesides({ answer }: { answer: DiagnosisAnswer }) {
  const moment = useMomentWords();
  const steps = [...nextSteps(answer.diagnosis?.top?.rule), NO_RETRY_YET];
  return (
    <>
      <div className={classes.part}>
        <p className={classes.partTitle}>Next steps</p>
        <ul className={classes.bullets}>
          {steps.map((step) => (
            <li key={step}>{step}.</li>
          ))}
        </ul>
      </div>
      <p className={classes.soft}>{PENDING_MEANS}.</p>
      <details className={classes.limits}>
        <summary>What these logs can’t show</summary>
        <ul className={classes.bullets}>
          {CANNOT_BE_KNOWN.map((what) => (
            <li key={what}>{what}</li>
          ))}
        </ul>
        <p>{NEVER_THE_CAUSE}.</p>
      </details>
      <p className={classes.asOf}>
        Evidence as of {moment(answer.atMs)}
        {answer.markdown === undefined ? null : (
          <>
            . As Markdown <CopyButton value={answer.markdown} label="Copy the diagnosis as Markdown" />
          </>
        )}
      </p>
    </>
  );
}
