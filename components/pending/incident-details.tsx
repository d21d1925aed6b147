'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { RetryClock } from '@/components/ui/verdict-clock';
import { VerdictList } from '@/components/ui/verdict-list';
import { useAskedAgain } from '@/lib/client/asked-again';
import { explainFailure } from '@/lib/client/explain-failure';
import { fetchIncident } from '@/lib/client/triage';
import { useVerdictWords } from '@/lib/client/verdict-words';
import { requestOfKey } from '@/lib/contract/codec/triage';
import type { IncidentAnswer } from '@/lib/contract/codec/triage-detail';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { CANNOT_BE_KNOWN, PENDING_MEANS } from '@/lib/domain/diagnosis/limits-of-knowledge';
import { NO_RETRY_YET, nextSteps } from '@/lib/domain/diagnosis/next-steps';
import type { Outcome } from '@/lib/domain/outcome';
import { useAge } from './age';
import classes from './incident-details.module.css';
import { IncidentRows } from './incident-rows';
import { usePendingPlace } from './pending-context';
import { RequestDiagnosis } from './request-diagnosis';

/** Those that finish leave, at most so often. */
const LEAST_MS = 5000;

/** What an incident rests on, its requests, and what to do about it. */
export function IncidentDetails({ incident }: { incident: Incident }) {
  const words = useVerdictWords();
  const answer = useIncident(incident.id);
  const shown = answer?.ok && answer.value.incident !== undefined ? answer.value.incident : incident;
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        <Part title="Evidence">
          <VerdictList verdicts={shown.verdicts} words={words} />
        </Part>
      </div>
      <div className={classes.column}>
        {incident.size === 0 ? null : <OldestClock incident={incident} />}
        <Part title="Next steps">
          <ol className={classes.steps}>
            {nextSteps(incident.rule).map((step) => (
              <li key={step}>{step}.</li>
            ))}
          </ol>
          {incident.size === 0 ? null : (
            <p className={classes.soft}>
              {PENDING_MEANS}. {NO_RETRY_YET}.
            </p>
          )}
          <p className={classes.soft}>These logs can’t show {CANNOT_BE_KNOWN.join('; ')}.</p>
        </Part>
      </div>
      {incident.size === 0 ? null : (
        <div className={classes.wide}>
          <OldestDiagnosis incident={incident} />
          <Part title="Requests">
            <Requests answer={answer} size={shown.size} />
          </Part>
        </div>
      )}
    </div>
  );
}

function useIncident(id: string): Outcome<IncidentAnswer> | undefined {
  const query = useQuery({
    queryKey: ['incident', id],
    queryFn: ({ signal }) => fetchIncident(id, signal),
    placeholderData: keepPreviousData,
    staleTime: 2000,
  });
  useAskedAgain(query.data?.ok ? query.data.value : undefined, query, LEAST_MS);
  return query.data;
}

function OldestClock({ incident }: { incident: Incident }) {
  const { settings } = usePendingPlace();
  const age = useAge(incident.sinceMs);
  return (
    <Part title={incident.size === 1 ? 'Retry clock' : 'Retry clock of the oldest'}>
      <RetryClock age={age} settings={settings(incident.networkId)} />
    </Part>
  );
}

/** What all evidence says of one of them: it settles what is an estimate of the first view. Asked for when it is unfolded. */
function OldestDiagnosis({ incident }: { incident: Incident }) {
  const [isOpen, setOpen] = useState(needsMore(incident));
  const request = requestOfKey(incident.oldestKey ?? '');
  if (request === undefined) return null;
  return (
    <details className={classes.oldest} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Diagnosis of the oldest request, with all evidence</summary>
      {isOpen ? <RequestDiagnosis request={request} sinceMs={incident.sinceMs} /> : null}
    </details>
  );
}

/** The first view has no cause for these, or only an estimate. */
function needsMore({ subject, verdicts }: Incident): boolean {
  return subject.kind === 'rest' || verdicts[0]?.basis === 'estimate';
}

function Requests({ answer, size }: { answer: Outcome<IncidentAnswer> | undefined; size: number }) {
  if (answer === undefined) return <p className={classes.waiting}>Loading the requests…</p>;
  if (!answer.ok) {
    const { title, todo } = explainFailure(answer.failure);
    return (
      <p className={classes.trouble} role="alert">
        {title}. {todo}
      </p>
    );
  }
  const { rows, incident, state } = answer.value;
  if (incident === undefined && rows.length === 0) {
    return (
      <p className={classes.soft}>
        {state === 'complete'
          ? 'This incident is over. If some of its requests are still stuck, they stand elsewhere on this page.'
          : 'It can’t be told now which requests belong to it.'}
      </p>
    );
  }
  return <IncidentRows rows={rows} size={incident?.size ?? size} />;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.part}>
      <h4 className={classes.title}>{title}</h4>
      {children}
    </div>
  );
}
