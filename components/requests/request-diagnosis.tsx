'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { RetryClock } from '@/components/ui/verdict-clock';
import { VerdictList } from '@/components/ui/verdict-list';
import { SurvivalWords } from '@/components/ui/verdict-survival';
import { isOver, type Looked, useDiagnosis } from '@/lib/client/diagnosis';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { formatAge } from '@/lib/client/human-time';
import { useMomentWords } from '@/lib/client/time-style';
import { useVerdictWords } from '@/lib/client/verdict-words';
import type { DiagnosisAnswer } from '@/lib/contract/codec/triage-detail';
import { CANNOT_BE_KNOWN, NEVER_THE_CAUSE } from '@/lib/domain/diagnosis/limits-of-knowledge';
import { ageOf } from '@/lib/domain/diagnosis/logged-row';
import { NO_RETRY_YET, nextSteps } from '@/lib/domain/diagnosis/next-steps';
import type { ListedRecord } from '@/lib/requests/one';
import classes from './request.module.css';
import { useTableClock } from './table-clock';

/** Why a pending request is pending, as far as the log can tell: clock, comparison, rules and next steps. */
export function RequestDiagnosis({ record }: { record: ListedRecord }) {
  const { keeper, networkId, sequence, provider, requestTxHash } = record;
  const { looked, again } = useDiagnosis({ keeper, networkId, sequence, provider, tx: requestTxHash });
  const { answer } = looked ?? {};
  return (
    <div
      className={classes.diagnosis}
      data-diagnosis={answer?.state ?? 'none'}
      data-top-rule={answer?.diagnosis?.top?.rule}
    >
      <Trouble looked={looked} onRetry={again} />
      {answer === undefined ? (
        <p className={classes.waiting}>{looked === undefined ? 'Loading diagnosis…' : 'No diagnosis'}</p>
      ) : (
        <Answered record={record} answer={answer} />
      )}
    </div>
  );
}

function Trouble({ looked, onRetry }: { looked: Looked<DiagnosisAnswer> | undefined; onRetry: () => void }) {
  if (looked?.trouble === undefined) return null;
  const { title, todo } = explainFailure(looked.trouble.failure);
  return (
    <p className={classes.trouble} role="alert">
      <span>
        {title}.{looked.answer === undefined ? '' : ' Outdated.'} {todo}
      </span>{' '}
      <button type="button" className={classes.textButton} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

const NOT_DIAGNOSED: Record<DiagnosisAnswer['found'], string> = {
  one: 'Loading diagnosis…',
  several: 'Several requests share this sequence',
  none: 'Not in the log',
  gone: 'No longer served by its keeper',
  'not-known': 'Not synced yet',
};

function Answered({ record, answer }: { record: ListedRecord; answer: DiagnosisAnswer }) {
  const words = useVerdictWords();
  const moment = useMomentWords();
  if (isOver(answer)) return <p>No longer pending: its outcome is logged.</p>;
  const { verdicts, top } = answer.diagnosis ?? {};
  const steps = [...nextSteps(top?.rule), NO_RETRY_YET];
  return (
    <>
      <Clock record={record} answer={answer} />
      <MissingEvidence answer={answer} />
      {verdicts === undefined ? (
        <p className={classes.soft}>{NOT_DIAGNOSED[answer.found]}</p>
      ) : (
        <VerdictList
          verdicts={top === undefined ? verdicts : [top, ...verdicts.filter(({ rule }) => rule !== top.rule)]}
          words={words}
        />
      )}
      <div>
        <p className={classes.partTitle}>Next steps</p>
        <ul className={classes.bullets}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </div>
      <details className={classes.soft}>
        <summary>Limitations</summary>
        <ul className={classes.bullets}>
          {CANNOT_BE_KNOWN.map((what) => (
            <li key={what}>{what}</li>
          ))}
          <li>{NEVER_THE_CAUSE}</li>
        </ul>
      </details>
      <p className={classes.faint}>
        Updated {moment(answer.atMs)}
        {answer.markdown === undefined ? null : (
          <>
            {' · '}Report <CopyButton value={answer.markdown} label="Copy report" />
          </>
        )}
      </p>
    </>
  );
}

/** Ticks by this browser's clock, whatever it was when the evidence was looked at. */
function Clock({ record, answer }: { record: ListedRecord; answer: DiagnosisAnswer }) {
  const ageMs = ageOf(record, useTableClock());
  const survival = answer.diagnosis?.survival;
  return (
    <>
      <RetryClock age={{ ms: ageMs, text: formatAge(ageMs) }} settings={answer.settings} />
      {survival === undefined ? null : <SurvivalWords survival={survival} ageMs={ageMs} />}
    </>
  );
}

/** What the index does not reach. */
function MissingEvidence({ answer: { state, missing } }: { answer: DiagnosisAnswer }) {
  if (missing.length === 0) return null;
  return (
    <div className={classes.partial} data-state={state}>
      <p>Missing data</p>
      <ul className={classes.bullets}>
        {missing.map(({ what, why }) => (
          <li key={what}>
            {clipped(what, 100)}: {clipped(why, 300)}
          </li>
        ))}
      </ul>
    </div>
  );
}
