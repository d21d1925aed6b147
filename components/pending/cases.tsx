'use client';
import { Anchor, Badge, Drawer, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import Link from 'next/link';
import { parseAsString, useQueryStates } from 'nuqs';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { useSteadyWords } from '@/components/ui/time-style';
import { FollowAcknowledgements } from '@/lib/alerts/client';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import type { Incident, Single, TriageAnswer } from '@/lib/pending/answers';
import { headlineOf, subjectLabel } from '@/lib/pending/client';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import { IncidentPanel, SinglePanel } from './case-panel';
import { SeverityMark } from './diagnosis';
import classes from './pending.module.css';
import { Age, MomentText, NetworkName, usePendingPlace } from './pending-context';

/** Narrower screens have no room for two beside each other. */
const NARROW = '(max-width: 75em)';

const CLOSED = { incident: null, request: null };

/** Incidents and stuck requests by themselves, the gravest first. What is open stands in the address: Back closes it. */
export function Cases({ answer }: { answer: TriageAnswer }) {
  const [{ incident: openId, request: openKey }, show] = useQueryStates(
    { incident: parseAsString, request: parseAsString },
    { history: 'push', scroll: false },
  );
  const { incidents, singles, counts, state } = answer;
  const incident = incidents.find(({ id }) => id === openId);
  const single = singles.find(({ key }) => key === openKey);
  const more = counts.incidents + counts.singles - incidents.length - singles.length;
  const close = () => void show(CLOSED);
  return (
    <>
      {openId === null || incident !== undefined ? null : <LostIncident state={state} onDismiss={close} />}
      {incidents.length + singles.length === 0 ? null : (
        <Stack component="section" gap="xs">
          <Group gap="md">
            <Title order={2}>Incidents and stuck requests</Title>
            <AcknowledgeAll incidents={incidents} singles={singles} />
            <Link href="/pending/history" prefetch={false}>
              History
            </Link>
          </Group>
          <div className={classes.cases}>
            <div className={classes.scroller}>
              <CaseTable>
                {incidents.map((one) => (
                  <IncidentRow
                    key={one.id}
                    incident={one}
                    isOpen={one.id === openId}
                    onToggle={() =>
                      void show(one.id === openId ? CLOSED : { incident: one.id, request: null })
                    }
                  />
                ))}
                {singles.map((one) => (
                  <SingleRow
                    key={one.key}
                    single={one}
                    isOpen={one.key === openKey}
                    onToggle={() =>
                      void show(one.key === openKey ? CLOSED : { incident: null, request: one.key })
                    }
                  />
                ))}
              </CaseTable>
              {more > 0 ? <Text c="dimmed">{groupDigits(String(more))} more are not listed.</Text> : null}
            </div>
            {incident === undefined ? null : (
              <Panel key={incident.id} onClose={close}>
                <IncidentPanel incident={incident} onClose={close} />
              </Panel>
            )}
            {incident !== undefined || single === undefined ? null : (
              <Panel key={single.key} onClose={close}>
                <SinglePanel single={single} onClose={close} />
              </Panel>
            )}
          </div>
        </Stack>
      )}
    </>
  );
}

function AcknowledgeAll({ incidents, singles }: Pick<TriageAnswer, 'incidents' | 'singles'>) {
  const targets = [
    ...incidents.map(({ id }) => ({ kind: 'incident' as const, id })),
    ...singles.map(({ key }) => ({ kind: 'request' as const, id: key })),
  ];
  return (
    <>
      <FollowAcknowledgements />
      {targets.length < 2 ? null : (
        <Acknowledge targets={targets} what="everything listed" label="Acknowledge all" />
      )}
    </>
  );
}

function LostIncident({ state, onDismiss }: { state: TriageAnswer['state']; onDismiss: () => void }) {
  const texts = {
    complete: 'The incident of this link is over. If some of its requests are still stuck, they stand below.',
    syncing: 'Loading the incident of this link…',
    stale: 'Whether the incident of this link goes on is unknown: not all keepers are synced.',
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

/** Beside the table, which stays in view and in use; on a narrow screen a sheet over it. */
function Panel({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    // A click leaves the focus where it is.
    if (opener instanceof HTMLElement && opener.matches('[aria-expanded]:focus-visible'))
      panel.current?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  if (!isNarrow) {
    return (
      <aside ref={panel} className={classes.panel} aria-label="Details" tabIndex={-1} onKeyDown={onKeyDown}>
        {children}
      </aside>
    );
  }
  return (
    <Drawer.Root opened onClose={onClose} position="bottom" size="88dvh">
      <Drawer.Overlay />
      <Drawer.Content aria-label="Details">
        <Drawer.Body p={0}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function CaseTable({ children }: { children: ReactNode }) {
  const { hasSeveralKeepers } = usePendingPlace();
  return (
    <Table
      className={classes.table}
      verticalSpacing={4}
      highlightOnHover
      aria-label="Incidents and stuck requests"
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">
            <span className={classes.word}>Severity</span>
          </Table.Th>
          <Table.Th scope="col">Network</Table.Th>
          {hasSeveralKeepers ? (
            <Table.Th scope="col" visibleFrom="sm">
              Keeper
            </Table.Th>
          ) : null}
          <Table.Th scope="col" className={classes.figure}>
            Pending
          </Table.Th>
          <Table.Th scope="col">Likely cause</Table.Th>
          <Table.Th scope="col" visibleFrom="sm">
            Owner
          </Table.Th>
          <Table.Th scope="col" visibleFrom="sm">
            Since
          </Table.Th>
          <Table.Th scope="col">Age</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

type RowProps = { isOpen: boolean; onToggle: () => void };

function IncidentRow({ incident, isOpen, onToggle }: { incident: Incident } & RowProps) {
  const { network } = usePendingPlace();
  const moment = useSteadyWords();
  const { id, rule, networkId, size, senders, subject } = incident;
  const owner = subjectLabel(subject);
  const name = headlineOf(incident, { network: (of) => network(of).name, moment });
  return (
    <Table.Tr data-incident={id} data-rule={rule} data-severity={incident.severity} data-network={networkId}>
      <CaseCells item={incident} name={name} isOpen={isOpen} onToggle={onToggle}>
        <Table.Td className={`${classes.figure} num`}>{groupDigits(String(size))}</Table.Td>
        <Cause verdict={incident.verdicts[0]} />
        <Table.Td visibleFrom="sm">
          {owner === undefined ? (
            <Text span c="dimmed">
              {senders === 1 ? '1 sender' : `${senders} senders`}
            </Text>
          ) : (
            <bdi
              className={owner.label === 'Sequences' ? undefined : 'mono'}
              title={`${owner.label} ${owner.value}`}
            >
              {owner.label === 'Sequences' ? owner.value.split(',')[0] : shortened(owner.value)}
            </bdi>
          )}
        </Table.Td>
      </CaseCells>
    </Table.Tr>
  );
}

function SingleRow({ single, isOpen, onToggle }: { single: Single } & RowProps) {
  const { network } = usePendingPlace();
  const { key, rule, networkId, sequence, sender } = single;
  const name = `${clipped(network(networkId).name, 60)}: request ${clipped(sequence, 40)}`;
  return (
    <Table.Tr data-single={key} data-rule={rule} data-severity={single.severity} data-network={networkId}>
      <CaseCells item={single} name={name} isOpen={isOpen} onToggle={onToggle}>
        <Table.Td className={`${classes.figure} num`} title={`Sequence ${clipped(sequence, 40)}`}>
          1
        </Table.Td>
        <Cause verdict={single.verdicts[0]} />
        <Table.Td visibleFrom="sm">
          {sender === undefined ? null : (
            <bdi className="mono" title={clipped(sender, 200)}>
              {shortened(sender)}
            </bdi>
          )}
        </Table.Td>
      </CaseCells>
    </Table.Tr>
  );
}

/** What every row has, around the cells of its own. */
function CaseCells({
  item,
  name,
  isOpen,
  onToggle,
  children,
}: { item: Incident | Single; name: string; children: ReactNode } & RowProps) {
  const { hasSeveralKeepers } = usePendingPlace();
  const { severity, networkId, keeper, sinceMs } = item;
  return (
    <>
      <Table.Td>
        <SeverityMark severity={severity} />{' '}
        <AcknowledgedMark
          target={'id' in item ? { kind: 'incident', id: item.id } : { kind: 'request', id: item.key }}
        />
      </Table.Td>
      <Table.Th scope="row">
        <Anchor
          component="button"
          ta="start"
          aria-expanded={isOpen}
          aria-label={name}
          title={name}
          onClick={onToggle}
        >
          <NetworkName networkId={networkId} />
        </Anchor>
      </Table.Th>
      {hasSeveralKeepers ? <Table.Td visibleFrom="sm">{keeper}</Table.Td> : null}
      {children}
      <Table.Td visibleFrom="sm">
        <MomentText ms={sinceMs} />
      </Table.Td>
      <Table.Td>
        <Age sinceMs={sinceMs} />
      </Table.Td>
    </>
  );
}

/** One line: what it is called, and what that means as far as there is room. */
function Cause({ verdict }: { verdict: Incident['verdicts'][number] | undefined }) {
  if (verdict === undefined) return <Table.Td />;
  const { rule, headline, basis, missing } = verdict;
  const estimate = missing === undefined ? 'Estimate' : `Estimate. Unknown: ${missing}`;
  return (
    <Table.Td className={classes.cause}>
      <Text truncate title={headline}>
        <strong>{RULE_TITLES[rule]}</strong>{' '}
        {basis === 'estimate' ? (
          <Badge size="sm" title={estimate}>
            Estimate
          </Badge>
        ) : null}{' '}
        <Text span c="dimmed">
          {headline}
        </Text>
      </Text>
    </Table.Td>
  );
}
