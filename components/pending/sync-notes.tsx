'use client';
import { Paper, Stack, Text } from '@mantine/core';
import { useContext } from 'react';
import { Icon } from '@/components/ui/icons';
import { ErrorText } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure, RETRYING } from '@/lib/core/explain-failure';
import { clockSkewSentence } from '@/lib/core/health';
import { groupDigits } from '@/lib/core/numbers';
import type { TriageAnswer } from '@/lib/pending/pending-response';
import { useRevision } from '@/lib/requests/client/revision-stream';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { SeveralKeepers } from './pending-context';

/** Renders nothing if no keeper is out of date, unreachable or partly indexed. */
export function SyncNotes({ index: rendered }: { index: readonly KeeperStatus[] }) {
  const shown = (useRevision()?.index ?? rendered).filter(({ state }) => state !== 'live');
  if (shown.length === 0) return null;
  return (
    <Stack component="ul" gap="xs" aria-label="Sync">
      {shown.map((status) => (
        <Paper component="li" withBorder p="xs" key={status.keeper} data-state={status.state}>
          {status.state === 'syncing' ? <Syncing status={status} /> : <Behind status={status} />}
        </Paper>
      ))}
    </Stack>
  );
}

function Syncing({ status: { keeper, history, coveredFromMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const expected = history?.expected == null ? '' : ` of ${groupDigits(`${history.expected}`)}`;
  const progress = history && `: ${groupDigits(`${history.done}`)}${expected}`;
  return (
    <p className="num">
      Syncing history of keeper {keeper}
      {progress}.
      {coveredFromMs === null ? null : (
        <Text span visibleFrom="sm">
          {' '}
          Complete since {words(coveredFromMs)}.
        </Text>
      )}
    </p>
  );
}

function Behind({ status: { keeper, failure, late, syncedAtMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const explained =
    failure && explainFailure({ service: 'logs', ...failure }, hasSeveralKeepers ? keeper : undefined);
  const lines = [
    syncedAtMs === null ? 'Not synced yet.' : `Synced ${words(syncedAtMs)}.`,
    late === 'dashboard' && 'Dashboard is busy.',
    failure?.nextTryMs && `Retrying ${words(failure.nextTryMs)}.`,
    explained?.quote && `“${explained.quote}”`,
    // The countdown replaces the advice to wait.
    failure?.nextTryMs && explained?.nextStep === RETRYING ? undefined : explained?.nextStep,
  ];
  return (
    <ErrorText className="foreign">
      <Icon name="alert" size={14} /> <strong>{explained?.title ?? `Keeper ${keeper} is not synced`}.</strong>{' '}
      {lines.filter(Boolean).join(' ')}
    </ErrorText>
  );
}

const CLOCK_EFFECTS = {
  ahead: 'requests look younger than they are; what is stuck is judged by its own clock',
  behind: 'requests look older than they are; what is stuck is judged by its own clock',
};

/** Every age on the page is off by the difference of the clocks. */
export function ClockNote({ clocks }: { clocks: TriageAnswer['clocks'] }) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const skewText = clockSkewSentence(clocks, CLOCK_EFFECTS, hasSeveralKeepers);
  return skewText === undefined ? null : (
    <Paper component="p" withBorder p="xs">
      <Icon name="clock" size={14} /> {skewText}
    </Paper>
  );
}
