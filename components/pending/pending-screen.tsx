'use client';
import { type ReactNode, useMemo } from 'react';
import { useNetworksById } from '@/lib/client/networks';
import { useOpenCase } from '@/lib/client/use-open-case';
import { useTriage } from '@/lib/client/use-triage';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { STUCK_MEANS } from '@/lib/domain/diagnosis/limits-of-knowledge';
import type { Network } from '@/lib/domain/network';
import { CalmCounts } from './calm-counts';
import { ClockNote } from './clock-note';
import { IncidentList } from './incident-list';
import { KnowledgeNotes } from './knowledge-notes';
import classes from './pending.module.css';
import { PendingPlaceProvider } from './pending-context';
import { SilenceTable } from './silence-table';
import { StandingLine } from './standing-line';
import { StuckRequests } from './stuck-requests';
import { Troubles } from './troubles';
import { WatchPanel } from './watch-panel';

const NOTHING: never[] = [];

/** What is stuck, why, and what now: incidents first, then single requests, then what is well. */
export function PendingScreen({
  first,
  keepers,
  networks: offered,
  renderedAtMs,
}: {
  /** What the server knew when it rendered; undefined when it knew nothing yet. */
  first: TriageAnswer | undefined;
  keepers: readonly string[];
  networks: readonly Network[];
  /** Unix ms. */
  renderedAtMs: number;
}) {
  const view = useTriage(first);
  const { answer } = view;
  const ids = useMemo(() => networkIdsOf(answer), [answer]);
  const networks = useNetworksById(offered, ids);
  return (
    <PendingPlaceProvider
      networks={networks}
      settings={answer?.settings}
      keepers={keepers}
      renderedAtMs={renderedAtMs}
    >
      <div className={classes.screen}>
        <h1 className="sr-only">Pending requests</h1>
        <StandingLine view={view} />
        <KnowledgeNotes />
        {keepers.length === 0 ? (
          <p className={classes.soft}>
            No request log service is configured. Set LOGS_URL in .env.local and start again.
          </p>
        ) : null}
        <Troubles troubles={answer?.troubles ?? NOTHING} />
        <ClockNote clocks={answer?.clocks ?? NOTHING} />
        {answer === undefined ? null : <Found answer={answer} keepers={keepers} />}
      </div>
    </PendingPlaceProvider>
  );
}

function networkIdsOf(answer: TriageAnswer | undefined): string[] {
  if (answer === undefined) return [];
  return [...answer.incidents, ...answer.singles, ...answer.silence].map(({ networkId }) => networkId);
}

/** All that a look has found. */
function Found({ answer, keepers }: { answer: TriageAnswer; keepers: readonly string[] }) {
  const { incident, request, open } = useOpenCase();
  const { incidents, singles, silence, counts, state } = answer;
  const isFirstLook = state === 'gathering';
  return (
    <>
      <IncidentList
        incidents={incidents}
        of={counts.incidents}
        state={state}
        openId={incident}
        onOpen={(id) => open('incident', id)}
      />
      {singles.length === 0 ? null : (
        <Part title="Single stuck requests">
          <StuckRequests
            singles={singles}
            of={counts.singles}
            openKey={request}
            onOpen={(key) => open('request', key)}
          />
        </Part>
      )}
      {/* What is below would jump while the first look fills in what is above. */}
      {isFirstLook ? null : (
        <>
          <WatchPanel />
          {state === 'failed' ? null : (
            <Part
              title={state === 'complete' ? 'All pending requests' : 'Pending requests that could be seen'}
            >
              <CalmCounts counts={counts} keepers={keepers} />
            </Part>
          )}
          {silence.length === 0 ? null : (
            <Part title="Silence: each network by its own rhythm">
              <p className={classes.soft}>
                {STUCK_MEANS}. Failed, median and 95th percentile: of the requests that finished in the last
                hour.
              </p>
              <SilenceTable rows={silence} />
            </Part>
          )}
        </>
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part}>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </section>
  );
}
