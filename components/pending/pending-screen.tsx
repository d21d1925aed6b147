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
import { IndexNotes } from './index-notes';
import { KnowledgeNotes } from './knowledge-notes';
import classes from './pending.module.css';
import { PendingPlaceProvider } from './pending-context';
import { SilenceTable } from './silence-table';
import { StandingLine } from './standing-line';
import { StuckRequests } from './stuck-requests';
import { WatchPanel } from './watch-panel';

const NOTHING: never[] = [];

/** What is stuck, why, and what now: incidents first, then single requests, then what is well. */
export function PendingScreen({
  first,
  keepers,
  networks: offered,
  renderedAtMs,
}: {
  /** What the server knew when it rendered; undefined without a keeper. */
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
        <IndexNotes index={answer?.index ?? NOTHING} />
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

/** All that is pending. */
function Found({ answer, keepers }: { answer: TriageAnswer; keepers: readonly string[] }) {
  const { incident, request, open } = useOpenCase();
  const { incidents, singles, silence, counts, state } = answer;
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
      <WatchPanel />
      {answer.checkedAtMs === undefined ? null : (
        <Part title="All pending requests">
          <CalmCounts counts={counts} keepers={keepers} />
        </Part>
      )}
      {silence.length === 0 ? null : (
        <Part title="Network activity">
          <p className={classes.soft}>
            {STUCK_MEANS}. Failed, p50 and p95: of the requests that finished in the last hour.
          </p>
          <SilenceTable rows={silence} />
        </Part>
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
