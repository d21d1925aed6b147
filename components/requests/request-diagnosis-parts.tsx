'use client';
import { RetryClock } from '@/components/ui/verdict-clock';
import { VerdictList } from '@/components/ui/verdict-list';
import { SurvivalWords } from '@/components/ui/verdict-survival';
import { isOver, type Looked, useDiagnosis } from '@/lib/client/diagnosis';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { formatAge } from '@/lib/client/human-time';
import type { ListedRecord } from '@/lib/client/related-requests';
import { useVerdictWords } from '@/lib/client/verdict-words';
import type { DiagnosisAnswer } from '@/lib/contract/codec/triage-detail';
import { ageOf } from '@/lib/domain/diagnosis/logged-row';
import type { Verdict } from '@/lib/domain/diagnosis/verdict';
import classes from './request-diagnosis.module.css';
import { DiagnosisBesides } from './request-diagnosis-besides';
import { useTableClock } from './table-clock';

/** Clock, comparison, rules and next steps of one pending request. */
export function RequestDiagnosisParts({ record }: { record: ListedRecord }) {
  const { keeper, networkId, sequence, provider, requestTxHash } = record;
  const { looked, again } = useDiagnosis({ keeper, networkId, sequence, provider, tx: requestTxHash });
  const { answer } = looked ?? {};
  return (
    <div
      className={classes.parts}
      data-diagnosis={answer?.state ?? 'none'}
      data-top-rule={answer?.diagnosis?.top?.rule}
    >
      <Trouble looked={looked} onRetry={again} />
      {answer === undefined ? (
        <p className={classes.waiting}>{looked === undefined ? 'Loading the diagnosis…' : 'No diagnosis.'}</p>
      ) : (
        <Answered record={record} answer={answer} />
      )}
    </div>
  );
}

function Trouble({ looked, onRetry }: { looked: Looked<DiagnosisAnswer> | undefined; onRetry: () => void }) {
  if (looked?.trouble === undefined) return null;
  const { title, todo } = explainFailure(looked.trouble.failure);
  const kept = looked.answer === undefined ? '' : ' What stands below is from before.';
  return (
    <p className={classes.trouble} role="alert">
      <span>
        {title}.{kept} {todo}
      </span>{' '}
      <button type="button" className={classes.textButton} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

function Answered({ record, answer }: { record: ListedRecord; answer: DiagnosisAnswer }) {
  if (isOver(answer)) return <p>Its outcome has been recorded meanwhile: it is no longer pending.</p>;
  const { diagnosis } = answer;
  return (
    <>
      <Clock record={record} answer={answer} />
      <StandingOfEvidence answer={answer} />
      {diagnosis === undefined ? (
        <p className={classes.soft}>{NOT_DIAGNOSED[answer.found]}</p>
      ) : (
        <Rules verdicts={diagnosis.verdicts} top={diagnosis.top} />
      )}
      <DiagnosisBesides answer={answer} />
    </>
  );
}

const NOT_DIAGNOSED: Record<DiagnosisAnswer['found'], string> = {
  one: 'The rules have not been asked yet.',
  several: 'Several rows fit this request, so none of them can be diagnosed.',
  none: 'The log does not have this request.',
  gone: 'No longer served by its keeper: nothing more can be told.',
  'not-known': 'This request is not synced yet.',
};

/** Ticks by this browser's clock, whatever it was when the evidence was looked at. */
function Clock({ record, answer }: { record: ListedRecord; answer: DiagnosisAnswer }) {
  const nowMs = useTableClock();
  const ageMs = ageOf(record, nowMs);
  const survival = answer.diagnosis?.survival;
  return (
    <>
      <RetryClock age={{ ms: ageMs, text: formatAge(ageMs) }} settings={answer.settings} />
      {survival === undefined ? null : <SurvivalWords survival={survival} ageMs={ageMs} />}
    </>
  );
}

/** What the index does not reach. */
function StandingOfEvidence({ answer: { state, missing } }: { answer: DiagnosisAnswer }) {
  if (missing.length === 0) return null;
  return (
    <div className={classes.partial} data-state={state}>
      <p>Missing data: this is what the rest of the evidence says.</p>
      <ul>
        {missing.map(({ what, why }) => (
          <li key={what}>
            {clipped(what, 100)}: {clipped(why, 300)}.
          </li>
        ))}
      </ul>
    </div>
  );
}

/** All rules; of those that hold the one that explains most stands first. */
function Rules({ verdicts, top }: { verdicts: readonly Verdict[]; top: Verdict | undefined }) {
  const words = useVerdictWords();
  const ordered = top === undefined ? verdicts : [top, ...verdicts.filter(({ rule }) => rule !== top.rule)];
  return <VerdictList verdicts={ordered} words={words} />;
}
