'use client';
import { ActionIcon, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Route } from 'next';
import type { ReactNode } from 'react';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Muted, MutedInline, Section, SmallButton } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { groupDigits } from '@/lib/core/numbers';
import { shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { ANOMALY_TITLES, anomalyLimit, ROWS_OF } from '@/lib/insights/anomaly';
import { lengthText } from '@/lib/insights/format';
import { followedQuery, useFollowed } from '@/lib/requests/client/use-followed';
import { readListing } from '@/lib/requests/requests-response';
import { defaultRequestsView, REQUESTS_PATH, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { Loading, RequestLine } from './case-panel';
import { type DegradedNetwork, nameOfProblem, SEVERITY_OF } from './degraded';
import classes from './pending.module.css';
import { SeverityMark } from './severity';

export function DegradedPanel({ problem, onClose }: { problem: DegradedNetwork; onClose: () => void }) {
  const nameOf = useNetworkName();
  const moment = useSteadyWords();
  const { level, text, detail, next, href, sinceMs, networks, unusual } = problem;
  const { kind, value, usual, sender, keeper } = unusual;
  const figureText = kind === 'slow' ? lengthText : shareText;
  const rowsOfSender = formatRequestsUrl({
    ...defaultRequestsView(),
    networks,
    keepers: [keeper],
    q: sender ?? '',
  });
  return (
    <Stack component="article" gap="md" p="md" className={classes.diagnosis} data-open="degraded">
      <header className={classes.head}>
        <Title order={3} size="lg" className="foreign">
          {nameOfProblem(problem, nameOf)}
        </Title>
        <Group gap="xs">
          <SmallButton component={Link} href={href as Route}>
            View requests
          </SmallButton>
          {sender === null ? null : (
            <SmallButton component={Link} href={rowsOfSender}>
              All requests of the sender
            </SmallButton>
          )}
        </Group>
        <ActionIcon aria-label="Close" title="Close (Escape)" onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      <Paper withBorder p="sm" className={classes.conclusion} data-conclusion={kind}>
        <MutedInline size="sm">Known so far</MutedInline>
        <Text size="lg" fw={650}>
          {ANOMALY_TITLES[kind]}
        </Text>
        <p>
          {text}. {detail}.
        </p>
        <Text mt="xs">
          <strong>Next step:</strong> {next}.
        </Text>
      </Paper>
      <Section title="Evidence" order={4} size="md">
        <Stack
          gap={4}
          pl="sm"
          style={{ borderInlineStart: `3px solid var(--ks-${level === 'bad' ? 'bad' : 'warn'})` }}
        >
          <div>
            <SeverityMark severity={SEVERITY_OF[level]} />
          </div>
          <Group component="dl" gap="2px var(--ks-gap-md)">
            {kind === 'silent' ? null : (
              <>
                <Fact name="Last hour">{figureText(value)}</Fact>
                <Fact name="Usual">{figureText(usual)}</Fact>
              </>
            )}
            <Fact name="Keeper">{keeper}</Fact>
            {sinceMs === null ? null : <Fact name="Since">{moment(sinceMs)}</Fact>}
            {sender === null ? null : (
              <Fact name="Sender of nearly all">
                <bdi className="mono" title={clipped(sender, 200)}>
                  {shortenHex(clipped(sender, 80))}
                </bdi>
              </Fact>
            )}
          </Group>
          <Muted size="sm">
            Reported from here on: {anomalyLimit(kind)}. As severe as on the <Link href="/">overview</Link>.
          </Muted>
        </Stack>
      </Section>
      {ROWS_OF[kind] === undefined ? null : <LatestRows problem={problem} />}
    </Stack>
  );
}

const MAX_ROWS = 8;

/** Latest rows, in the order in which the panel's link lists them. */
function LatestRows({ problem: { networks, unusual } }: { problem: DegradedNetwork }) {
  const view: RequestsView = {
    ...defaultRequestsView(),
    networks,
    keepers: [unusual.keeper],
    ...ROWS_OF[unusual.kind],
    time: { kind: 'last', range: '1h' },
  };
  const path = formatRequestsUrl(view);
  const address = `/api/view/requests${path.slice(REQUESTS_PATH.length)}`;
  const { answer, trouble } = useFollowed(useQuery(followedQuery(address, readListing)), { minMs: 5000 });
  if (answer === undefined) return <Loading trouble={trouble} />;
  const { rows, total } = answer;
  const shown = rows.slice(0, MAX_ROWS);
  return (
    <Section
      title={unusual.hourEndUs === undefined ? 'Requests of the last hour' : 'Requests of that hour'}
      order={4}
      size="md"
    >
      <Muted>
        {shown.length < Number(total) ? `${groupDigits(shown.length)} of ` : ''}
        <Link href={path}>{groupDigits(total)}</Link> in all,{' '}
        {unusual.kind === 'slow' ? 'the slowest first.' : 'the newest first.'}
      </Muted>
      <ul aria-label="Requests that show it">
        {shown.map((row) => (
          <RequestLine key={row.key} row={row} />
        ))}
      </ul>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Muted component="dt">{name}</Muted>
      <Text component="dd" fw={600} className="num">
        {children}
      </Text>
    </Group>
  );
}
