'use client';
import { RequestDiagnosis } from '@/components/pending/request-diagnosis';
import { LaneStrip } from '@/components/ui/lane-strip';
import { RetryClock } from '@/components/ui/verdict-clock';
import { VerdictList } from '@/components/ui/verdict-list';
import { VerdictSeverity } from '@/components/ui/verdict-severity';
import { SurvivalWords } from '@/components/ui/verdict-survival';
import { groupDigits } from '@/lib/client/human-number';
import { formatAge } from '@/lib/client/human-time';
import { useSteadyWords } from '@/lib/client/time-style';
import { useVerdictWords } from '@/lib/client/verdict-words';
import type { KeyedRequest } from '@/lib/contract/codec/triage';
import { settingsWith, USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { Severity } from '@/lib/domain/diagnosis/verdict';
import { diagnosesAt, diagnosisKey, laneAnswer, laneItems, SURVIVAL } from './diagnosis-fixtures';
import classes from './gallery.module.css';
import { Place } from './pending-section';
import { GallerySection, Specimen } from './specimen';
import { type Known, Still } from './still';
import { verdictsAt } from './triage-fixtures';

const nothing = () => {};
const SEVERITIES: readonly Severity[] = ['none', 'notice', 'warning', 'critical'];

const AGES = [
  { name: 'before it is slow', ms: 12_000 },
  { name: 'within the budget', ms: 200_000 },
  { name: 'after the budget', ms: 350_000 },
  { name: 'given up', ms: 3_700_000 },
];

const OWN_SETTINGS = settingsWith({ slowAfterS: 20, retryBudgetS: 3600, stuckAfterS: 7200 });

function Clocks() {
  return (
    <>
      {AGES.map(({ name, ms }) => (
        <Specimen key={name} name={`Retry clock: ${name}`}>
          <RetryClock age={{ ms, text: formatAge(ms) }} settings={USUAL_SETTINGS} />
        </Specimen>
      ))}
      <Specimen name="Retry clock: settings of its own">
        <RetryClock age={{ ms: 200_000, text: formatAge(200_000) }} settings={OWN_SETTINGS} />
      </Specimen>
    </>
  );
}

function Lane({ nowMs, count }: { nowMs: number; count: number }) {
  const moment = useSteadyWords();
  const items = laneItems(nowMs, count);
  const current = items.find((item) => item.kind === 'request' && item.state === 'stuck');
  return (
    <LaneStrip
      items={items}
      figures={laneAnswer(nowMs, items)}
      text={{ number: groupDigits, moment }}
      label={`${count} marks of the gallery`}
      currentKey={current?.kind === 'request' ? current.key : undefined}
      onOpen={nothing}
      linkOfRange={() => '/requests'}
    />
  );
}

const requestOf = (at: number): KeyedRequest => ({
  keeper: 'main',
  networkId: '42161',
  provider: undefined,
  sequence: String(at + 1),
  tx: undefined,
});

function Diagnoses({ nowMs }: { nowMs: number }) {
  const cases = diagnosesAt(nowMs);
  const known: Known = cases.flatMap(({ looked }, at) =>
    looked === undefined ? [] : [[diagnosisKey(requestOf(at)), looked] as const],
  );
  return (
    <Still known={known}>
      <Place nowMs={nowMs}>
        {cases.map(({ name, sinceMs }, at) => (
          <Specimen key={name} name={`Diagnosis: ${name}`}>
            <RequestDiagnosis request={requestOf(at)} sinceMs={sinceMs} />
          </Specimen>
        ))}
      </Place>
    </Still>
  );
}

/** Verdicts, clock, comparison and strip, by themselves and as the diagnosis of one request. */
export function DiagnosisSection({ nowMs }: { nowMs: number }) {
  const words = useVerdictWords();
  return (
    <GallerySection name="diagnosis">
      <Specimen name="Severities">
        <div className={classes.row}>
          {SEVERITIES.map((severity) => (
            <VerdictSeverity key={severity} severity={severity} />
          ))}
        </div>
      </Specimen>
      <Specimen name="Verdicts: held, not told, not held">
        <VerdictList verdicts={verdictsAt(nowMs)} words={words} />
      </Specimen>
      <Specimen name="No verdict holds">
        <VerdictList verdicts={verdictsAt(nowMs).slice(3)} words={words} />
      </Specimen>
      <Clocks />
      <Specimen name="Beside the finished requests">
        <SurvivalWords survival={SURVIVAL} ageMs={20_000} />
      </Specimen>
      <Specimen name="Longer than all finished requests">
        <SurvivalWords survival={{ ...SURVIVAL, longer: 0, longerShare: 0 }} ageMs={3_600_000} />
      </Specimen>
      {[0, 24, 3000].map((count) => (
        <Specimen key={count} name={`Sequence lane: ${count} numbers`}>
          <Lane nowMs={nowMs} count={count} />
        </Specimen>
      ))}
      <Diagnoses nowMs={nowMs} />
    </GallerySection>
  );
}
