'use client';
import { Group, Paper, Text, Title } from '@mantine/core';
import Link from 'next/link';
import { useId, useMemo, useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { type Network, unknownNetwork } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import { incidentPath, OVERVIEW_INCIDENTS, type TriageAnswer } from '@/lib/pending/answers';
import { headlineOf, type ShownStatus, shownStatus, type TriageView, useTriage } from '@/lib/pending/client';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { useNetworksById } from '@/lib/requests/networks';
import { SeverityMark } from './diagnosis';

const LOOKS: Record<ShownStatus['kind'], { icon: IconName; tone: string }> = {
  syncing: { icon: 'dotted', tone: 'idle' },
  stuck: { icon: 'alert', tone: 'bad' },
  calm: { icon: 'check', tone: 'good' },
  unknown: { icon: 'question', tone: 'odd' },
};

/** Is anything stuck? One sentence, and how old it is. */
export function StatusLine({ view }: { view: TriageView }) {
  const { kind, title, detail, checkedAtMs } = shownStatus(view);
  const moment = useSteadyWords();
  const titleId = useId();
  const { icon, tone } = LOOKS[kind];
  return (
    <Paper
      component="section"
      withBorder
      px="md"
      py="xs"
      // Room for two lines of detail: what is below must not move when the words change.
      mih="4.5rem"
      style={{ borderInlineStart: `4px solid var(--ks-${tone})` }}
      data-status={kind}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" gap="xs">
        <div role="status">
          <Title order={2} size="xl" id={titleId}>
            <Text span inherit c={`var(--ks-${tone})`}>
              <Icon name={icon} size={18} />
            </Text>{' '}
            {title}
          </Title>
          <Text c="dimmed">{detail}</Text>
        </div>
        <Text size="sm" c="dimmed" className="num">
          {checkedAtMs === undefined ? 'Not synced yet' : `Synced ${moment(checkedAtMs)}`}
        </Text>
      </Group>
    </Paper>
  );
}

/** For the overview: is anything stuck? The gravest incidents, each a link to all that is known of it. */
export function StuckIncidents({
  first,
  networks: offered,
}: {
  first: TriageAnswer | undefined;
  networks: readonly Network[];
}) {
  const view = useTriage(first, OVERVIEW_INCIDENTS);
  const moment = useSteadyWords();
  const incidents = view.answer?.incidents;
  const ids = useMemo(() => (incidents ?? []).map(({ networkId }) => networkId), [incidents]);
  const networks = useNetworksById(offered, ids);
  const network = (id: string) => (networks.find((one) => one.networkId === id) ?? unknownNetwork(id)).name;
  // What stands below must not move when the first sync brings incidents: whoever saw it begin keeps the room for them.
  const [hasRoom] = useState(view.answer === undefined || view.answer.state === 'syncing');
  return (
    <div>
      <StatusLine view={view} />
      <ul style={hasRoom ? { height: '9rem', overflowY: 'auto' } : undefined}>
        {(incidents ?? []).map((incident) => (
          <Group
            component="li"
            key={incident.id}
            gap="xs"
            py={4}
            data-incident={incident.id}
            data-severity={incident.severity}
          >
            <SeverityMark severity={incident.severity} />
            <Link href={incidentPath(incident.id)} prefetch={false} className="foreign">
              {clipped(headlineOf(incident, { network, moment }), 200)}
            </Link>
            <Text span c="dimmed">
              {RULE_TITLES[incident.rule]}
              {incident.verdicts[0]?.basis === 'estimate' ? ' (estimate)' : ''}
            </Text>
          </Group>
        ))}
      </ul>
      {view.answer?.status.kind === 'stuck' ? (
        <Link href="/pending" prefetch={false}>
          View pending
        </Link>
      ) : null}
    </div>
  );
}
