'use client';
import { Badge, Box, Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Route } from 'next';
import { type ReactNode, useState } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useLive } from '@/components/ui/live-controls';
import { NetworksProvider } from '@/components/ui/networks';
import { ErrorText, Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentColumn, useMomentWords } from '@/components/ui/time-style';
import { eventName } from '@/lib/alerts/alert-rules';
import {
  ALERTS_PATH,
  type AlertsAnswer,
  MAX_NOTICES,
  readAlerts,
  type SentNotice,
} from '@/lib/alerts/alerts-answer';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed, pollEvery } from '@/lib/core/gateway';
import type { Network } from '@/lib/core/network';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { followedQuery } from '@/lib/requests/client/use-followed';
import { AcknowledgedList } from './acknowledged-list';
import { AlertRules, uncheckedText } from './alert-rules-table';
import { AlertSetup } from './alert-setup';
import { SendTest } from './alert-test';
import { NOTICE_STATES as STATES, WholeBadge } from './notice-state';
import classes from './pending.module.css';
import { Age, PendingPage } from './pending-context';
import { ToneBox, ToneIcon } from './tone-box';

const REFRESH_MS = 15_000;

type Props = { first: AlertsAnswer; networks: readonly Network[] };

export function AlertsScreen({ first, networks }: Props) {
  const {
    data: alerts,
    error,
    refetch,
    isFetchedAfterMount,
  } = useQuery({
    ...followedQuery(ALERTS_PATH, readAlerts),
    initialData: first,
    // If the page did not wait for the current conditions, they are fetched at once.
    initialDataUpdatedAt: () => (first.holding === undefined ? 0 : Date.now()),
    refetchInterval: pollEvery(REFRESH_MS),
  });
  const trouble = error instanceof AnswerFailed ? explainFailure(error.failure) : undefined;
  const isOn = alerts.format !== undefined;
  const [isSetupOpen, setSetupOpen] = useState(false);
  // Sections below the active alerts wait for them, because they would be pushed down.
  const isChecked = alerts.holding !== undefined || isFetchedAfterMount || error !== null;
  const test = <SendTest isOn={isOn} onSent={() => void refetch()} />;
  return (
    <NetworksProvider networks={networks}>
      <PendingPage title="Alerts" aside={isOn ? test : null}>
        {trouble === undefined ? null : (
          <ErrorText>
            {trouble.title}. Outdated. {trouble.nextStep}
          </ErrorText>
        )}
        <Summary alerts={alerts} isSetupOpen={isSetupOpen} onToggleSetup={() => setSetupOpen(!isSetupOpen)}>
          <AlertSetup alerts={alerts} test={test} />
        </Summary>
        <Holding alerts={alerts} />
        {isChecked ? (
          <>
            {isOn ? <Sent alerts={alerts} /> : null}
            <AlertRules alerts={alerts} />
            <div className={classes.halves}>
              {isOn ? null : <Sent alerts={alerts} />}
              <AcknowledgedList networks={networks} />
            </div>
            {isOn ? (
              <details>
                <summary>Setup</summary>
                <Paper withBorder p="md">
                  <AlertSetup alerts={alerts} />
                </Paper>
              </details>
            ) : null}
          </>
        ) : (
          // The height of the screen, so that the scroll bar is there from the start.
          <Box mih="100dvh" />
        )}
      </PendingPage>
    </NetworksProvider>
  );
}

type SummaryProps = {
  alerts: AlertsAnswer;
  isSetupOpen: boolean;
  onToggleSetup: () => void;
  /** The setup of a webhook, shown while there is none. */
  children: ReactNode;
};

function Summary({ alerts, isSetupOpen, onToggleSetup, children }: SummaryProps) {
  const { format, origin, notices = [], pausedUntilMs, unread, holding = [] } = alerts;
  const live = useLive();
  const moment = useMomentWords();
  const waiting = notices.filter(({ state }) => state === 'waiting');
  const last = notices.find(({ state }) => state === 'sent' || state === 'given-up');
  const isFailing = last?.state === 'given-up' || waiting.some(({ error }) => error !== null);
  const isOn = format !== undefined;
  const unsent = holding.filter(({ state, isDue }) => isDue && state !== 'sent').length;
  const reachesNobody = !isOn && unsent > 0;
  const tone = reachesNobody ? 'warn' : !isOn ? 'idle' : isFailing ? 'bad' : 'good';
  const icon = reachesNobody || isFailing ? 'alert' : isOn ? 'check' : 'dotted';
  const failureText = reachesNobody ? `${countOf(unsent, 'alert')} reached nobody` : 'alerts reach nobody';
  const title = !isOn ? 'Alerts are off' : isFailing ? 'Alerts are not arriving' : 'Alerts are on';
  const links =
    origin === undefined
      ? 'Messages have no links: ALLOWED_HOSTS names no public host.'
      : `Links lead to ${origin}.`;
  return (
    <ToneBox tone={tone} data-alerts={isOn ? (isFailing ? 'failing' : 'on') : 'off'}>
      {/* On one line in the wider font that precedes the page's own, too. */}
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text component="h2" size="xl" fw={650} style={{ whiteSpace: isOn ? undefined : 'nowrap' }}>
          <ToneIcon tone={tone} icon={icon} /> {title}
        </Text>
        {isOn ? null : (
          <Button disabled={!live} aria-expanded={isSetupOpen} onClick={onToggleSetup}>
            {isSetupOpen ? 'Close the setup' : 'Set up a webhook'}
          </Button>
        )}
      </Group>
      <Muted>
        {isOn
          ? `Webhook, ${format === 'slack' ? 'Slack' : 'JSON'} format. ${links}`
          : `No webhook is set: ${failureText}. `}
        {waiting.length === 0 ? '' : ` ${countOf(waiting.length, 'message')} waiting.`}
        {last?.sentMs == null ? '' : ` Last sent ${moment(last.sentMs)}.`}
        {pausedUntilMs === undefined ? '' : ` Receiver requested a pause until ${moment(pausedUntilMs)}.`}
      </Muted>
      {unread === undefined ? null : <ErrorText>Sent alerts unavailable. {unread}</ErrorText>}
      {isSetupOpen && !isOn ? <section aria-label="Set up">{children}</section> : null}
    </ToneBox>
  );
}

type ActiveAlert = NonNullable<AlertsAnswer['holding']>[number];

function Holding({ alerts: { format, holding, unchecked } }: { alerts: AlertsAnswer }) {
  const moments = useMomentColumn();
  const words = useMomentWords();
  const rows = holding ?? [];
  const columns: Column<ActiveAlert>[] = [
    { name: 'Rule', kind: 'head', cell: ({ event }) => eventName(event) },
    {
      name: 'Alert',
      kind: 'rest',
      cell: (alert) => (
        <div className={classes.wrapped}>
          <AlertLink alert={alert} />
          {alert.details === undefined ? null : (
            <Muted size="sm" className="foreign">
              {clipped(alert.details, 600)}
            </Muted>
          )}
          {alert.sinceMs === null ? null : (
            <Muted size="sm" className="num" hiddenFrom="sm">
              Since {words(alert.sinceMs)}
            </Muted>
          )}
        </div>
      ),
    },
    {
      name: moments.header('Since'),
      isWide: true,
      cell: ({ sinceMs }) => (sinceMs === null ? <MutedInline>—</MutedInline> : moments.text(sinceMs)),
    },
    {
      name: 'Age',
      kind: 'figure',
      cell: ({ sinceMs }) => (sinceMs === null ? null : <Age sinceMs={sinceMs} />),
    },
    // Without a webhook nothing is sent, as the summary says.
    ...(format === undefined ? [] : [MESSAGE]),
    {
      name: 'Action',
      cell: ({ target, title }) => target && <Acknowledge targets={[target]} what={title} />,
    },
  ];
  return (
    <Section title="Active alerts" isRegion className={classes.degraded}>
      {rows.length === 0 ? (
        <Paper withBorder radius="lg" px="sm" className={classes.none}>
          <Muted>
            {holding === undefined ? 'Checking the rules…' : 'No rule finds anything.'}
            {unchecked.length === 0 ? null : ` ${uncheckedText(unchecked)}`}
          </Muted>
        </Paper>
      ) : (
        <DataTable
          label="Active alerts"
          className={classes.stacked}
          columns={columns}
          rows={rows}
          first={{ count: 8, noun: 'alerts' }}
          rowProps={({ event, title, path, state }) => ({
            key: `${event} ${title} ${path}`,
            'data-holding': event,
            'data-state': state ?? 'none',
          })}
        />
      )}
    </Section>
  );
}

const NOT_SENT = { label: 'Not sent', color: 'wait' };
const NOT_DUE = { label: 'Not due yet', color: 'idle' };

const MESSAGE: Column<ActiveAlert> = {
  name: 'Message',
  cell: ({ state, isDue }) => {
    const unsent = isDue ? NOT_SENT : NOT_DUE;
    const { label, color } = state === undefined ? unsent : STATES[state];
    return <WholeBadge color={color}>{label}</WholeBadge>;
  },
};

function Sent({ alerts: { notices } }: { alerts: AlertsAnswer }) {
  const moments = useMomentColumn();
  const columns: Column<SentNotice>[] = [
    { name: moments.header('Time'), cell: ({ atMs }) => moments.text(atMs) },
    { name: 'Event', isWide: true, cell: ({ kind }) => eventName(kind) },
    { name: 'Alert', kind: 'head', cell: (notice) => <AlertTitle notice={notice} /> },
    { name: 'Outcome', cell: (notice) => <Outcome notice={notice} /> },
  ];
  if (notices === undefined) return null;
  return (
    <Section title="Sent" isRegion>
      {notices.length === 0 ? (
        <Muted>Nothing was sent in the last 90 days.</Muted>
      ) : (
        <DataTable
          label="Alerts sent"
          columns={columns}
          rows={notices}
          first={{ count: 20, noun: 'alerts' }}
          rowProps={({ id, kind, state }) => ({ key: id, 'data-notice': kind, 'data-state': state })}
        />
      )}
      {notices.length < MAX_NOTICES ? null : <Muted>The newest {groupDigits(MAX_NOTICES)} are listed.</Muted>}
    </Section>
  );
}

function AlertLink({ alert: { title, path } }: { alert: Pick<SentNotice, 'title' | 'path'> }) {
  return (
    <Link href={path as Route} className="foreign">
      {title}
    </Link>
  );
}

function AlertTitle({ notice }: { notice: SentNotice }) {
  const { affected, cause } = notice;
  return (
    <div className={classes.wrapped}>
      <AlertLink alert={notice} />
      <Muted className="foreign">{[affected, cause].filter(Boolean).join(' · ')}</Muted>
    </div>
  );
}

function Outcome({ notice }: { notice: SentNotice }) {
  const moment = useMomentWords();
  const { state, attempts, sentMs, nextMs, error } = notice;
  const { label, color } = STATES[state];
  const tries = attempts > 1 ? `, ${countOf(attempts, 'try', 'tries')}` : '';
  const next = state === 'waiting' && attempts > 0 ? `, next try ${moment(nextMs)}` : '';
  return (
    <>
      <Badge color={color}>{label}</Badge>
      {state === 'sent' && sentMs !== null ? (
        <MutedInline visibleFrom="sm">
          {' '}
          {moment(sentMs)}
          {tries}
        </MutedInline>
      ) : null}
      {error === null ? null : (
        <Muted>
          {error}
          {state === 'sent' ? '' : tries}
          {next}
        </Muted>
      )}
    </>
  );
}
