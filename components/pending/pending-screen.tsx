'use client';
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { NetworksProvider } from '@/components/ui/networks';
import { Section } from '@/components/ui/text';
import type { Network } from '@/lib/core/network';
import { useProblems } from '@/lib/insights/client/use-problems';
import type { ProblemsAnswer } from '@/lib/insights/problem';
import type { RenderedIndex } from '@/lib/pending/client/stuck-count';
import { useTriage } from '@/lib/pending/client/use-triage';
import type { TriageAnswer } from '@/lib/pending/pending-response';
import { useNetworksById } from '@/lib/requests/client/use-networks';
import { Activity } from './activity';
import { Cases } from './cases';
import { findDegraded } from './degraded';
import { Limitations } from './diagnosis';
import classes from './pending.module.css';
import { PendingPage, SeveralKeepers } from './pending-context';
import { StatusLine } from './status-line';
import { ClockNote, SyncNotes } from './sync-notes';
import { WatchPanel } from './watch-panel';

/** `first` and `problems` are undefined without a keeper, or if they took too long. */
type Props = {
  first: TriageAnswer | undefined;
  problems: ProblemsAnswer | undefined;
  rendered: RenderedIndex;
  keepers: readonly string[];
  networks: readonly Network[];
};

export function PendingScreen({ first, problems: begun, rendered, keepers, networks: offered }: Props) {
  const view = useTriage(first);
  const problems = useProblems(begun);
  const degraded = useMemo(() => findDegraded(problems.answer?.problems), [problems.answer]);
  const { answer } = view;
  const ids = useMemo(
    () =>
      answer === undefined
        ? []
        : [
            ...[...answer.incidents, ...answer.activity].map(({ networkId }) => networkId),
            ...answer.groups.flatMap(({ networkIds }) => networkIds),
          ],
    [answer],
  );
  const isSyncing = answer?.state === 'syncing';
  const networks = useNetworksById(offered, ids);
  return (
    <SeveralKeepers value={keepers.length > 1}>
      <NetworksProvider networks={networks}>
        <PendingPage title="Pending requests">
          <StatusLine
            view={view}
            rendered={rendered}
            degraded={new Set(degraded.flatMap(({ networks: ids }) => ids)).size}
          />
          {keepers.length === 0 ? (
            <p>No request log service is configured. Set LOGS_URL in .env.local and start again.</p>
          ) : null}
          {answer === undefined ? null : (
            <>
              <Cases answer={answer} problems={problems}>
                {/* Hidden during the first sync, because the first incidents would push it down. */}
                {isSyncing
                  ? () => null
                  : (isBesidePanel) => (
                      <>
                        <WatchPanel>
                          {answer.activity.length === 0 ? null : (
                            <Section title="Network activity">
                              <Activity
                                rows={answer.activity}
                                incidents={answer.incidents}
                                degraded={degraded}
                                isNarrow={isBesidePanel}
                              />
                            </Section>
                          )}
                        </WatchPanel>
                        <Limitations isPending />
                      </>
                    )}
              </Cases>
              {/* Notes are placed below the requests, so that they do not move them. */}
              <Stack gap={4} className={classes.notes}>
                <ClockNote clocks={answer.clocks} />
                <SyncNotes index={answer.index} />
              </Stack>
            </>
          )}
        </PendingPage>
      </NetworksProvider>
    </SeveralKeepers>
  );
}
