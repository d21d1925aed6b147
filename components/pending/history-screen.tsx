'use client';
import { Paper, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Muted, Section } from '@/components/ui/text';
import {
  acknowledgementTimes,
  historyCounts,
  type IncidentHistory,
  longestOf,
  longestText,
} from '@/lib/alerts/history';
import { isFromLog } from '@/lib/core/incident-record';
import { unknownNetwork } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { MIN_TOGETHER } from '@/lib/core/pending-settings';
import { shareText } from '@/lib/core/span-figures';
import { clipped } from '@/lib/core/text';
import { formatSpan, MINUTE_MS } from '@/lib/core/time';
import { HistoryFilters } from './history-filters';
import { IncidentTable } from './incident-table';
import { IncidentTimeline } from './incident-timeline';
import classes from './pending.module.css';
import { PendingPage } from './pending-context';
import { WeeklyFigures } from './weekly-figures';

type Props = { history: IncidentHistory; keepers: readonly string[] };

export function HistoryScreen({ history, keepers }: Props) {
  const { incidents, networks, isWhole, isRecording, range, unrecorded } = history;
  const names = useMemo(() => new Map(networks.map(({ networkId, name }) => [networkId, name])), [networks]);
  const nameOf = (id: string) => clipped(names.get(id) ?? unknownNetwork(id).name, 60);
  return (
    <PendingPage
      title="History"
      aside={<HistoryFilters keepers={keepers} networks={networks} range={range} />}
    >
      <Totals history={history} />
      <IncidentTimeline history={history} nameOf={nameOf} />
      <Section title="Incidents and degraded networks" isRegion>
        {incidents.length === 0 ? (
          <Muted role="status" mih={{ base: '2lh', sm: '1lh' }}>
            {isRecording
              ? unrecorded.nothing.length === 0
                ? 'None in this range.'
                : 'None in the known part of this range.'
              : 'None known. Not every keeper’s pending requests could be checked yet.'}
          </Muted>
        ) : (
          <IncidentTable history={history} nameOf={nameOf} keepers={keepers} />
        )}
        {isWhole ? null : <Muted>Older ones are not listed. Choose a network.</Muted>}
        <Muted size="sm">
          Recorded while the dashboard runs: requests that are stuck together (incidents), and networks that
          are silent, slow or failing (degraded). Single stuck requests are not recorded.
          {unrecorded.fromLog.length === 0
            ? null
            : ` Other times are reconstructed from the log, where it is indexed: ${MIN_TOGETHER} or more requests of a network, sent close in time, that waited longer than its retry budget at once. Their cause, and degraded networks, are not known then. Rows that a keeper lost are missing; times that it rewrote may make an incident longer.`}
        </Muted>
      </Section>
      <WeeklyFigures history={history} />
    </PendingPage>
  );
}

/** Computed from exactly the incidents that are listed. */
function Totals({ history }: { history: IncidentHistory }) {
  const { incidents, isRecording, nowMs } = history;
  const fromLog = incidents.filter(isFromLog).length;
  const longest = longestOf(incidents, nowMs);
  const open = incidents.filter(({ closedMs }) => closedMs === null).length;
  const { incidents: stuck, degradedNetworks, degradedTimes } = historyCounts(incidents);
  // An unknown number must not read as zero.
  const count = (value: number) => (isRecording || value > 0 ? groupDigits(value) : '—');
  const times = acknowledgementTimes(incidents);
  const typicalMs = times[Math.ceil(times.length / 2) - 1];
  return (
    <Paper withBorder px="md" py="sm" component="dl" className={classes.totals}>
      <Figure name="Incidents" hint={fromLog === 0 ? undefined : `${groupDigits(fromLog)} from the log`}>
        {count(stuck)}
      </Figure>
      <Figure
        name="Degraded networks"
        hint={degradedTimes === degradedNetworks ? undefined : `${groupDigits(degradedTimes)} times`}
      >
        {count(degradedNetworks)}
      </Figure>
      <Figure name="Ongoing">
        {isRecording ? groupDigits(open) : open > 0 ? `≥ ${groupDigits(open)}` : '—'}
      </Figure>
      <Figure name="Time affected" hint={affectedHint(history)}>
        {history.affectedMs === 0 ? '—' : formatSpan(history.affectedMs)}
      </Figure>
      <Figure name="Longest">{longest === null ? '—' : longestText(longest)}</Figure>
      <Figure
        name="Time to acknowledge"
        hint={
          stuck === fromLog
            ? ''
            : `${times.length > 1 ? 'p50 of ' : ''}${times.length} of ${groupDigits(stuck - fromLog)}`
        }
      >
        {typicalMs === undefined ? '—' : formatSpan(typicalMs)}
      </Figure>
    </Paper>
  );
}

const wholeMinutes = (ms: number) => (ms < MINUTE_MS ? ms : Math.floor(ms / MINUTE_MS) * MINUTE_MS);

/** If the time is recorded only in part, its calm part is unknown, so there is no share. */
function affectedHint({ affectedMs, reconstructedMs, knownMs, unrecorded }: IncidentHistory): string {
  if (affectedMs === 0) return '';
  if (reconstructedMs > 0) return `${formatSpan(wholeMinutes(affectedMs - reconstructedMs))} of it seen live`;
  const isWhole = Object.values(unrecorded).every((spans) => spans.length === 0);
  return isWhole ? `${shareText(affectedMs / knownMs)} of ${formatSpan(knownMs)}` : 'not all is recorded';
}

/** An empty hint keeps the place of a later one. */
type FigureProps = { name: string; hint?: string | undefined; children: ReactNode };

function Figure({ name, hint, children }: FigureProps) {
  return (
    <div>
      <Muted component="dt" size="sm">
        {name}
      </Muted>
      <Text component="dd" size="lg" fw={650} className="num">
        {children}
      </Text>
      {hint === undefined ? null : (
        <Muted component="dd" size="sm" mih="1lh" className="num">
          {hint}
        </Muted>
      )}
    </div>
  );
}
