'use client';
import { Anchor, Badge, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import { useContext } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { SidePanel } from '@/components/ui/side-panel';
import { Dim, Soft } from '@/components/ui/text';
import { useMomentColumn, useSteadyWords } from '@/components/ui/time-style';
import { FollowAcknowledgements } from '@/lib/alerts/client';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import type { Incident, TriageAnswer } from '@/lib/pending/answers';
import { subjectLabel } from '@/lib/pending/client';
import { incidentHeadline } from '@/lib/pending/incidents';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { CasePanel } from './case-panel';
import { SeverityMark } from './diagnosis';
import classes from './pending.module.css';
import { Age, type Case, NetworkName, SeveralKeepers } from './pending-context';

/** Narrower screens have no room for two beside each other. */
const NARROW = '(max-width: 75em)';

const CLOSED = { incident: null, request: null };

/** Incidents and stuck requests by themselves, the gravest first. What is open stands in the address: Back closes it. */
export function Cases({ answer }: { answer: TriageAnswer }) {
  const { incidents, singles, counts, state, settings } = answer;
  const [{ incident: openIncident, request: openRequest }, show] = useQueryStates(
    { incident: parseAsString, request: parseAsString },
    { history: 'push', scroll: false },
  );
  const nameOf = useNetworkName();
  const moment = useSteadyWords();
  const cases: Case[] = [
    ...incidents.map((incident) => ({
      id: incident.id,
      target: { kind: 'incident' as const, id: incident.id },
      name: incidentHeadline(incident, { network: (id) => clipped(nameOf(id), 60), moment }),
      owner: subjectLabel(incident.subject),
      item: incident,
      incident,
    })),
    ...singles.map((single) => ({
      id: single.key,
      target: { kind: 'request' as const, id: single.key },
      name: `${clipped(nameOf(single.networkId), 60)}: request ${clipped(single.sequence, 40)}`,
      owner: single.sender ? { label: 'Sender', value: clipped(single.sender, 200) } : undefined,
      item: single,
    })),
  ];
  const open = cases.find(({ id, incident }) => id === (incident ? openIncident : openRequest));
  const more = counts.incidents + counts.singles - cases.length;
  const close = () => void show(CLOSED);
  const toggle = ({ id, target: { kind } }: Case) =>
    void show(id === open?.id ? CLOSED : { ...CLOSED, [kind]: id });
  return (
    <>
      {openIncident === null || open !== undefined ? null : <LostIncident state={state} onDismiss={close} />}
      {cases.length === 0 ? null : (
        <Stack component="section" gap="xs">
          <Group gap="md" mb={{ base: 4, sm: 0 }}>
            <Title order={2}>Incidents and stuck requests</Title>
            <FollowAcknowledgements />
            {cases.length < 2 ? null : (
              <Acknowledge
                targets={cases.map(({ target }) => target)}
                what="everything listed"
                label="Acknowledge all"
              />
            )}
            <Link href="/pending/history">History</Link>
            <Link href="/pending/alerts">Alerts</Link>
          </Group>
          <Group align="flex-start" gap="var(--ks-gap-lg)" wrap="nowrap">
            <Box flex="1 1 0" miw={0}>
              <CaseTable cases={cases} open={open} onToggle={toggle} />
              {more > 0 ? <Soft>{groupDigits(more)} more are not listed.</Soft> : null}
            </Box>
            {open === undefined ? null : (
              <SidePanel
                key={open.id}
                label="Details"
                narrow={NARROW}
                className={classes.panel}
                onClose={close}
              >
                <CasePanel of={open} settings={settings} onClose={close} />
              </SidePanel>
            )}
          </Group>
        </Stack>
      )}
    </>
  );
}

function LostIncident({ state, onDismiss }: { state: TriageAnswer['state']; onDismiss: () => void }) {
  const texts = {
    complete: 'The incident of this link is closed. Requests that are still stuck are listed below.',
    syncing: 'Loading the incident of this link…',
    stale: 'Incident of this link: unknown. Not all keepers are synced.',
  };
  return (
    <Paper component="p" withBorder p="xs" data-lost={state}>
      {texts[state]}{' '}
      <Anchor component="button" onClick={onDismiss}>
        Dismiss
      </Anchor>
    </Paper>
  );
}

type TableProps = { cases: readonly Case[]; open: Case | undefined; onToggle: (one: Case) => void };

function CaseTable({ cases, open, onToggle }: TableProps) {
  const hasSeveralKeepers = useContext(SeveralKeepers);
  const moments = useMomentColumn();
  const columns: Column<Case>[] = [
    {
      name: 'Severity',
      kind: 'icon',
      cell: ({ item, target }) => (
        <>
          <SeverityMark severity={item.severity} /> <AcknowledgedMark target={target} />
        </>
      ),
    },
    {
      name: 'Network',
      kind: 'head',
      cell: (one) => (
        <Anchor
          component="button"
          ta="start"
          aria-expanded={one === open}
          aria-label={one.name}
          title={one.name}
          onClick={() => onToggle(one)}
        >
          <NetworkName networkId={one.item.networkId} />
          <Soft size="xs" hiddenFrom="sm">
            {one.item.verdicts[0] && RULE_TITLES[one.item.verdicts[0].rule]}
          </Soft>
        </Anchor>
      ),
    },
    ...(hasSeveralKeepers
      ? [{ name: 'Keeper', isWide: true, cell: ({ item }: Case) => item.keeper } as const]
      : []),
    {
      name: 'Pending',
      kind: 'figure',
      cell: ({ incident }) => groupDigits(incident?.size ?? 1),
      mark: ({ item }) => ('sequence' in item ? { title: `Sequence ${clipped(item.sequence, 40)}` } : {}),
    },
    {
      name: 'Verdict',
      kind: 'rest',
      isWide: true,
      cell: ({ item }) => <Cause verdict={item.verdicts[0]} />,
    },
    { name: 'Owner', isWide: true, cell: Owner },
    { name: moments.header('Since'), isWide: 'md', cell: ({ item }) => moments.text(item.sinceMs) },
    { name: 'Age', cell: ({ item }) => <Age sinceMs={item.sinceMs} /> },
  ];
  return (
    <DataTable
      label="Incidents and stuck requests"
      columns={columns}
      rows={cases}
      onRow={onToggle}
      rowProps={({ id, item, incident }) => ({
        key: id,
        ...(incident === undefined ? { 'data-single': id } : { 'data-incident': id }),
        'data-rule': item.rule,
        'data-severity': item.severity,
        'data-network': item.networkId,
      })}
    />
  );
}

/** Whose it is: the sender, transaction or provider; else how many senders there are. */
function Owner({ owner, incident }: Case) {
  if (owner === undefined)
    return <Dim>{incident === undefined ? '' : countOf(incident.senders, 'sender')}</Dim>;
  const isHash = owner.label !== 'Sequences';
  return (
    <bdi className={isHash ? 'mono' : undefined} title={`${owner.label} ${owner.value}`}>
      {isHash ? shortenHex(owner.value) : owner.value.split(',')[0]}
    </bdi>
  );
}

/** One line: what it is called, and what that means as far as there is room. */
function Cause({ verdict }: { verdict: Incident['verdicts'][number] | undefined }) {
  if (verdict === undefined) return null;
  const { rule, headline, basis, missing } = verdict;
  const estimate = missing === undefined ? 'Estimate' : `Estimate. Unknown: ${missing}`;
  return (
    <Text truncate title={headline}>
      <strong>{RULE_TITLES[rule]}</strong>{' '}
      {basis === 'estimate' ? (
        <Badge size="sm" title={estimate}>
          Estimate
        </Badge>
      ) : null}{' '}
      <Dim>{headline}</Dim>
    </Text>
  );
}
