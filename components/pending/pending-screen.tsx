'use client';
import { Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import Link from 'next/link';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { useMemo } from 'react';
import { Icon } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import type { Network } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clockOffSentence } from '@/lib/core/service-clock';
import { clipped } from '@/lib/core/text';
import { formatDuration, formatSpan } from '@/lib/core/time';
import type { NetworkActivity, TriageAnswer } from '@/lib/pending/answers';
import { isWhole, useTriage } from '@/lib/pending/client';
import { PENDING_MEANS } from '@/lib/pending/rules/verdict';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useNetworksById } from '@/lib/requests/networks';
import { useRevision } from '@/lib/requests/use-revision';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { Cases } from './cases';
import { Limitations } from './diagnosis';
import classes from './pending.module.css';
import { Age, MomentText, NetworkName, PendingPlaceProvider, usePendingPlace } from './pending-context';
import { StatusLine } from './pending-status';
import { WatchPanel } from './watch-panel';

/** What is stuck, why, and what now: incidents and single requests first, then what is well. */
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
  const ids = useMemo(
    () =>
      answer === undefined
        ? []
        : [...answer.incidents, ...answer.singles, ...answer.activity].map(({ networkId }) => networkId),
    [answer],
  );
  const networks = useNetworksById(offered, ids);
  return (
    <NuqsAdapter>
      <PendingPlaceProvider
        networks={networks}
        settings={answer?.settings}
        keepers={keepers}
        renderedAtMs={renderedAtMs}
      >
        <Stack gap="md" className={classes.screen}>
          <h1 className="sr-only">Pending requests</h1>
          <StatusLine view={view} />
          <Group gap="md">
            <Text c="dimmed">{PENDING_MEANS}</Text>
            <Limitations />
          </Group>
          {keepers.length === 0 ? (
            <p>No request log service is configured. Set LOGS_URL in .env.local and start again.</p>
          ) : null}
          {answer === undefined ? null : (
            <>
              <SyncNotes index={answer.index} />
              <ClockNote clocks={answer.clocks} />
              <Counts counts={answer.counts} isWhole={isWhole(view)} keepers={keepers} />
              <Cases answer={answer} />
            </>
          )}
          <WatchPanel />
          {answer === undefined || answer.activity.length === 0 ? null : (
            <Stack component="section" gap="xs">
              <Title order={2}>Network activity</Title>
              <Activity rows={answer.activity} />
            </Stack>
          )}
        </Stack>
      </PendingPlaceProvider>
    </NuqsAdapter>
  );
}

/** Keepers whose rows are old, can't be read, or are not all here yet. Nothing where all is well. */
function SyncNotes({ index: known }: { index: readonly KeeperStatus[] }) {
  const index = useRevision()?.index ?? known;
  const shown = index.filter(({ state }) => state !== 'live');
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
  const figure = (count: number) => groupDigits(String(count));
  const of = history === null ? '' : `: ${figure(history.done)} of ${figure(history.expected)}`;
  const since = coveredFromMs === null ? '' : ` Complete since ${words(coveredFromMs)}.`;
  return (
    <p className="num">
      Syncing history of keeper {keeper}
      {of}.{since}
    </p>
  );
}

function Behind({ status: { keeper, failure, syncedAtMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const { hasSeveralKeepers } = usePendingPlace();
  const told =
    failure === null
      ? undefined
      : explainFailure({ service: 'logs', ...failure }, hasSeveralKeepers ? keeper : undefined);
  return (
    <Text role="alert" c="var(--ks-bad)">
      <Icon name="alert" size={14} /> <strong>{told?.title ?? `Keeper ${keeper} is not synced`}.</strong>{' '}
      {syncedAtMs === null ? 'Not synced yet.' : `Synced ${words(syncedAtMs)}.`}{' '}
      {failure?.nextTryMs === undefined ? null : `Retrying ${words(failure.nextTryMs)}.`}{' '}
      {told?.said === undefined ? null : <q className="foreign">{told.said}</q>} {told?.todo}
    </Text>
  );
}

const CLOCK_EFFECTS = {
  ahead: 'here every request looks younger by that much, and counts as stuck later than it is',
  behind: 'here every request looks older by that much, and may count as stuck without being so',
};

/** That a service's clock is not ours: every age on the page, and what follows from it, is off by as much. */
function ClockNote({ clocks }: { clocks: TriageAnswer['clocks'] }) {
  const { hasSeveralKeepers } = usePendingPlace();
  const said = clockOffSentence(clocks, CLOCK_EFFECTS, hasSeveralKeepers);
  return said === undefined ? null : (
    <Paper component="p" withBorder p="xs">
      <Icon name="clock" size={14} /> {said}
    </Paper>
  );
}

/** All pending requests by where they stand. */
function Counts({
  counts,
  isWhole,
  keepers,
}: {
  counts: TriageAnswer['counts'];
  isWhole: boolean;
  keepers: readonly string[];
}) {
  const all = formatRequestsUrl({
    ...defaultRequestsView(),
    states: ['pending'],
    keepers: keepers.length > 1 ? [...keepers] : [],
    time: { kind: 'all' },
  });
  const unseen = counts.missing + counts.unreadable;
  const shown: [string, string, number][] = [
    ['pending', 'Pending', counts.pending],
    ['stuck', 'Stuck', counts.stuck],
    ['slow', 'Slow', counts.slow],
    ['within-normal', 'Within normal', counts.withinNormal],
    ...(unseen > 0 ? [['unseen', 'Unreadable or too many', unseen] as [string, string, number]] : []),
    ...(counts.gone > 0 ? [['gone', 'No longer served', counts.gone] as [string, string, number]] : []),
  ];
  return (
    <Group component="dl" gap="4px var(--ks-gap-xl)">
      {shown.map(([of, name, value]) => (
        <Group key={of} gap={6} data-count={of}>
          <Text component="dt" c="dimmed">
            {name}
          </Text>
          <Text component="dd" fw={650} className="num">
            {isWhole || !['pending', 'stuck'].includes(of) ? '' : 'at least '}
            {of === 'pending' ? (
              <Link
                href={all}
                prefetch={false}
                aria-label={`${groupDigits(String(value))} pending, view requests`}
              >
                {groupDigits(String(value))}
              </Link>
            ) : (
              groupDigits(String(value))
            )}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

/** Every network by its own rhythm: those gone quiet first. */
function Activity({ rows }: { rows: readonly NetworkActivity[] }) {
  const { hasSeveralKeepers } = usePendingPlace();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label="Networks, scrollable" tabIndex={0}>
      <Table className={classes.table} verticalSpacing={4} highlightOnHover>
        <Table.Caption className="sr-only">Activity of networks</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Network</Table.Th>
            {hasSeveralKeepers ? <Table.Th scope="col">Keeper</Table.Th> : null}
            <Table.Th scope="col">Last request</Table.Th>
            {['Typical interval', 'Pending', 'Stuck', 'Failed, last hour', 'p50', 'p95'].map((name) => (
              <Table.Th key={name} scope="col" className={classes.figure}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <ActivityRow key={`${row.keeper}/${row.networkId}`} row={row} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function ActivityRow({ row }: { row: NetworkActivity }) {
  const { hasSeveralKeepers } = usePendingPlace();
  const { keeper, networkId, quiet, lastHour, lastRequestMs, usualGapMs, missing } = row;
  const isQuiet = quiet.holds === 'yes';
  const rowsOf = formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId], keepers: [keeper] });
  const why = missing.length === 0 ? undefined : clipped(missing.join('\n'), 400);
  const count = (value: number | undefined) => (value === undefined ? undefined : groupDigits(String(value)));
  // Nothing finished within the hour is no gap in what is known.
  const latency = (ms: number | undefined) => (ms === undefined ? lastHour && 'none' : formatDuration(ms));
  const figures: [string, string | undefined, boolean?][] = [
    ['gap', usualGapMs === undefined ? undefined : gapText(usualGapMs)],
    ['pending', count(row.pending)],
    ['stuck', count(row.stuck), (row.stuck ?? 0) > 0],
    ['failed', lastHour && failedText(lastHour)],
    ['p50', latency(lastHour?.p50Ms)],
    ['p95', latency(lastHour?.p95Ms)],
  ];
  return (
    <Table.Tr data-network={networkId} data-keeper={keeper} data-quiet={isQuiet ? 'yes' : 'no'}>
      <Table.Th scope="row">
        <Link href={rowsOf} prefetch={false}>
          <NetworkName networkId={networkId} />
        </Link>
        {isQuiet ? (
          <Text span ml="xs" size="sm" c="var(--ks-warn)" title={quiet.headline}>
            <Icon name="alert" size={13} /> Quiet
          </Text>
        ) : null}
      </Table.Th>
      {hasSeveralKeepers ? <Table.Td>{keeper}</Table.Td> : null}
      <Table.Td>
        {lastRequestMs === undefined ? (
          <span title={why}>—</span>
        ) : (
          <>
            <Age sinceMs={lastRequestMs} /> ago{' '}
            <Text span size="sm" c="dimmed">
              (<MomentText ms={lastRequestMs} />)
            </Text>
          </>
        )}
      </Table.Td>
      {figures.map(([name, text, isBad]) => (
        <Table.Td key={name} className={`${classes.figure} num`} data-tone={isBad ? 'bad' : undefined}>
          {text ?? (
            <span title={why}>
              <span aria-hidden="true">—</span>
              <span className="sr-only">{why === undefined ? 'none' : 'unknown'}</span>
            </span>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function gapText(ms: number): string {
  return ms < 10_000 ? formatDuration(ms) : formatSpan(ms);
}

/** `2 of 140`; said where the rows that were looked at don't reach back an hour. */
function failedText({ failed, finished, isWhole }: NonNullable<NetworkActivity['lastHour']>): string {
  if (finished === 0 && isWhole) return 'none finished';
  const text = `${groupDigits(String(failed))} of ${groupDigits(String(finished))}`;
  return isWhole ? text : `${text} sampled`;
}
