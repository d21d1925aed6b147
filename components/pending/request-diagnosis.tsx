'use client';
import { Icon } from '@/components/ui/icons';
import { RetryClock } from '@/components/ui/verdict-clock';
import { VerdictList } from '@/components/ui/verdict-list';
import { SurvivalWords } from '@/components/ui/verdict-survival';
import { isOver, type Looked, useDiagnosis } from '@/lib/client/diagnosis';
import { explainFailure } from '@/lib/client/explain-failure';

import { useVerdictWords } from '@/lib/client/verdict-words';
import type { KeyedRequest } from '@/lib/contract/codec/triage';
import type { DiagnosisAnswer, MissingPiece } from '@/lib/contract/codec/triage-detail';
import type { Diagnosis } from '@/lib/domain/diagnosis/all-rules';
import { NO_RETRY_YET, nextSteps } from '@/lib/domain/diagnosis/next-steps';
import { RULE_TITLES, type Verdict } from '@/lib/domain/diagnosis/verdict';
import { useAge } from './age';
import classes from './request-diagnosis.module.css';

/** What can be said about one request with all evidence. */
export function RequestDiagnosis({ request, sinceMs }: { request: KeyedRequest; sinceMs: number }) {
  const { looked, again } = useDiagnosis(request);
  const answer = looked?.answer;
  return (
    <>
      {looked?.trouble === undefined ? null : <Trouble looked={looked} onRetry={again} />}
      {answer === undefined ? (
        <p className={classes.waiting}>{looked === undefined ? 'Loading the diagnosis…' : ''}</p>
      ) : (
        <Answered answer={answer} sinceMs={sinceMs} />
      )}
    </>
  );
}

function Answered({ answer, sinceMs }: { answer: DiagnosisAnswer; sinceMs: number }) {
  const { diagnosis, found } = answer;
  if (isOver(answer)) return <p>Its outcome has been recorded meanwhile: it is no longer pending.</p>;
  if (diagnosis === undefined) return <p className={classes.waiting}>{NOT_DIAGNOSED[found]}</p>;
  return <Diagnosed answer={answer} diagnosis={diagnosis} sinceMs={sinceMs} />;
}

function Trouble({ looked, onRetry }: { looked: Looked<DiagnosisAnswer>; onRetry: () => void }) {
  const { trouble, answer } = looked;
  if (trouble === undefined) return null;
  const { title, todo } = explainFailure(trouble.failure);
  return (
    <p className={classes.trouble} role="alert">
      {title}.{answer === undefined ? '' : ' What stands below is from before.'} {todo}{' '}
      <button type="button" className={classes.textButton} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

const NOT_DIAGNOSED: Record<DiagnosisAnswer['found'], string> = {
  one: 'Loading the diagnosis…',
  several: 'Several requests share this number: open the page of the one that is meant.',
  none: 'The log does not have this request.',
  gone: 'No longer served by its keeper: nothing more can be told.',
  'not-known': 'This request is not synced yet.',
};

function Diagnosed({
  answer,
  diagnosis,
  sinceMs,
}: {
  answer: DiagnosisAnswer;
  diagnosis: Diagnosis;
  sinceMs: number;
}) {
  const words = useVerdictWords();
  const age = useAge(sinceMs);
  const { verdicts, top, survival, activity } = diagnosis;
  return (
    <div className={classes.diagnosis} data-diagnosis={answer.state} data-top-rule={top?.rule}>
      <p className={classes.top}>
        <span className={classes.soft}>Explains most:</span> <TopRule top={top} />
      </p>
      <Missing answer={answer} />
      <VerdictList verdicts={topFirst(verdicts, top)} words={words} />
      {activity === undefined ? null : <RetryClock age={age} settings={answer.settings} />}
      {survival === undefined ? null : <SurvivalWords survival={survival} ageMs={age.ms} />}
      {activity === undefined ? null : (
        <ol className={classes.steps}>
          {[...nextSteps(top?.rule), NO_RETRY_YET].map((step) => (
            <li key={step}>{step}.</li>
          ))}
        </ol>
      )}
    </div>
  );
}

function topFirst(verdicts: readonly Verdict[], top: Verdict | undefined): Verdict[] {
  return top === undefined ? [...verdicts] : [top, ...verdicts.filter(({ rule }) => rule !== top.rule)];
}

function TopRule({ top }: { top: Verdict | undefined }) {
  if (top === undefined) return <>no rule holds</>;
  return (
    <>
      <strong>{RULE_TITLES[top.rule]}</strong> <span className={classes.number}>{top.rule}</span>
    </>
  );
}

/** What the index does not reach. */
function Missing({ answer: { missing } }: { answer: DiagnosisAnswer }) {
  if (missing.length === 0) return null;
  return (
    <div className={classes.missing} role="status">
      <p>
        <Icon name="question" size={13} /> Missing data:
      </p>
      <MissingList missing={missing} />
    </div>
  );
}

function MissingList({ missing }: { missing: readonly MissingPiece[] }) {
  return (
    <ul>
      {missing.map(({ what, why }) => (
        <li key={what}>
          {what}: {why}
        </li>
      ))}
    </ul>
  );
}
