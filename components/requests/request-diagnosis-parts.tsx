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
        <p className={classes.waiting}>
          {looked === undefined ? 'Looking at the evidence…' : 'No diagnosis.'}
        </p>
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
  none: 'The log does not list this request any more.',
  'not-known': 'It is not known yet whether the log still lists this request.',
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

/** What is still being looked at, and what could not be. */
function StandingOfEvidence({ answer }: { answer: DiagnosisAnswer }) {
  const { state, progress, missing } = answer;
  const isGathering = state === 'gathering';
  if (!isGathering && missing.length === 0) return null;
  const steps = progress === undefined ? '' : ` (${progress.done} of ${progress.of})`;
  return (
    <div className={classes.partial} data-state={state}>
      <p>
        {isGathering
          ? `Still looking at the evidence${steps}: more may follow.`
          : 'A part of the evidence is missing: this is what the rest of it says.'}
      </p>
      {missing.length === 0 ? null : (
        <ul>
          {missing.map(({ what, why }) => (
            <li key={what}>
              {clipped(what, 100)}: {clipped(why, 300)}.
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** All rules; of those that hold the one that explains most stands first. */
function Rules({ verdicts, top }: { verdicts: readonly Verdict[]; top: Verdict | undefined }) {
  const words = useVerdictWords();
  const ordered = top === undefined ? verdicts : [top, ...verdicts.filter(({ rule }) => rule !== top.rule)];
  return <VerdictList verdicts={ordered} words={words} />;
}
