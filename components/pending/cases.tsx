'use client';
import { Anchor, Box, Group, Paper, Stack, Title } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import type { ReactNode } from 'react';
import { Acknowledge } from '@/components/alerts/acknowledge';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { useShortcut } from '@/components/ui/shortcuts';
import { SidePanel } from '@/components/ui/side-panel';
import { Muted, MutedInline } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { type OrderTarget, targetKey } from '@/lib/alerts/acknowledge';
import { FollowAcknowledgements, useAcknowledgements } from '@/lib/alerts/client/use-acknowledgements';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import type { useProblems } from '@/lib/insights/client/use-problems';
import { singleText } from '@/lib/pending/client/shown-status';
import { incidentHeadline } from '@/lib/pending/incidents';
import type { CauseGroup, Incident, Single, TriageAnswer } from '@/lib/pending/pending-response';
import { unexaminedPath } from '@/lib/pending/request-links';
import { groupTitle } from '@/lib/pending/rules/rule-texts';
import { locatorOfKey } from '@/lib/requests/request-address';
import { CasePanel } from './case-panel';
import { CaseTable } from './case-table';
import { Degraded, findDegraded } from './degraded';
import { DegradedPanel } from './degraded-panel';
import classes from './pending.module.css';
import type { PendingCase } from './pending-context';

/** Width below which the panel replaces the table. */
const NARROW = '(max-width: 75em)';

type Props = {
  answer: TriageAnswer;
  problems: ReturnType<typeof useProblems>;
  /** The rest of the page, below the list and beside an open panel. */
  children: (isBesidePanel: boolean) => ReactNode;
};

export function Cases({ answer, problems, children }: Props) {
  const { incidents, groups, counts, state, settings } = answer;
  const caseOf = useCases();
  const current = groups.filter(({ isParked }) => !isParked);
  const listed = [...incidents.map(caseOf.incident), ...current.map(caseOf.group)];
  const parked = groups.filter(({ isParked }) => isParked).map(caseOf.group);
  const degraded = findDegraded(problems.answer?.problems);
  const panel = useOpenedPanel(listed, degraded, parked, caseOf.request);
  const { open, openId, toggle, close } = panel;
  const isBeside = openId !== undefined;
  const hidden = counts.incidents - incidents.length;
  useListKeys(!isBeside);
  return (
    <Stack component="section" gap="xs" aria-label="Stuck requests">
      {panel.isLost ? <LostIncident state={state} onDismiss={close} /> : null}
      <Group gap="md" mih="1.75rem">
        <FollowAcknowledgements />
        {listed.length === 0 ? null : <Title order={2}>Incidents and stuck requests</Title>}
        <AcknowledgeAll incidents={incidents} groups={current} />
      </Group>
      <Group align="flex-start" gap="var(--ks-gap-lg)" wrap="nowrap">
        <Stack flex="1 1 0" miw={0} gap="md">
          {listed.length === 0 ? null : (
            <CaseTable
              label="Incidents and stuck requests"
              isNarrow={isBeside}
              cases={listed}
              open={open}
              onToggle={toggle}
            />
          )}
          {hidden > 0 ? (
            <Muted>{groupDigits(hidden)} more incidents, all smaller, are not listed.</Muted>
          ) : null}
          {state === 'syncing' ? null : (
            <Degraded
              {...problems}
              isNarrow={isBeside}
              openId={openId}
              onToggle={({ id }) => toggle({ kind: 'degraded', id })}
            />
          )}
          <Parked cases={parked} answer={answer} open={open} onToggle={toggle} />
          {children(isBeside)}
        </Stack>
        <OpenedPanel {...panel} settings={settings} />
      </Group>
    </Stack>
  );
}

const CLOSED = { incident: null, group: null, request: null, degraded: null };

/** The open panel is in the URL, so that Back closes it. */
function useOpenedPanel(
  listed: readonly PendingCase[],
  degraded: ReturnType<typeof findDegraded>,
  parked: readonly PendingCase[],
  requestOf: (key: string) => PendingCase | undefined,
) {
  const [opened, show] = useQueryStates(
    { incident: parseAsString, group: parseAsString, request: parseAsString, degraded: parseAsString },
    { history: 'push', scroll: false },
  );
  const open = openCase(opened, [...listed, ...parked], requestOf);
  const problem = degraded.find(({ id }) => id === opened.degraded);
  const openId = open?.id ?? problem?.id;
  const openers: Opener[] = [
    ...listed,
    ...degraded.map(({ id }) => ({ kind: 'degraded' as const, id })),
    ...parked,
  ];
  return {
    open,
    problem,
    openId,
    /** The URL names an incident that is not listed. */
    isLost: opened.incident !== null && open === undefined,
    close: () => void show(CLOSED),
    toggle: ({ kind, id }: Opener) => void show(id === openId ? CLOSED : { ...CLOSED, [kind]: id }),
    step: (by: 1 | -1) => {
      const next = openers[openers.findIndex(({ id }) => id === openId) + by];
      if (next !== undefined) void show({ ...CLOSED, [next.kind]: next.id });
    },
    openRequest: (key: string) => void show({ incident: null, request: key }),
    backToGroup: opened.group === null ? undefined : () => void show({ request: null }),
  };
}

type OpenedPanelProps = ReturnType<typeof useOpenedPanel> & Pick<TriageAnswer, 'settings'>;

function OpenedPanel({ open, problem, openId, settings, ...panel }: OpenedPanelProps) {
  if (openId === undefined) return null;
  return (
    <SidePanel
      key={openId}
      label="Details"
      narrow={NARROW}
      className={classes.panel}
      rowKey={openId}
      onClose={panel.close}
      onStep={panel.step}
    >
      {open === undefined ? null : (
        <CasePanel
          row={open}
          settings={settings}
          onClose={panel.close}
          onRequest={panel.openRequest}
          onGroup={panel.backToGroup}
        />
      )}
      {problem === undefined ? null : <DegradedPanel problem={problem} onClose={panel.close} />}
    </SidePanel>
  );
}

type Opener = { kind: PendingCase['kind'] | 'degraded'; id: string };

type OpenedCase = { incident: string | null; group: string | null; request: string | null };

/** A request that has left the list (because it was answered) can still be opened. */
function openCase(
  opened: OpenedCase,
  cases: readonly PendingCase[],
  requestOf: (key: string) => PendingCase | undefined,
) {
  const { incident, group, request } = opened;
  if (request !== null) return cases.find(({ id }) => id === request) ?? requestOf(request);
  const id = incident ?? group;
  return cases.find((row) => row.id === id && row.kind === (incident === null ? 'group' : 'incident'));
}

function useCases() {
  const nameOf = useNetworkName();
  const moment = useSteadyWords();
  const network = (id: string) => clipped(nameOf(id), 60);
  const requestCase = (key: string, networkId: string, sequence: string, single?: Single): PendingCase => ({
    kind: 'request',
    id: key,
    target: { kind: 'request', id: key },
    name: `${network(networkId)}: request ${clipped(sequence, 40)}`,
    owner: single?.sender ? { label: 'Sender', value: clipped(single.sender, 200) } : undefined,
    single,
  });
  return {
    incident: (incident: Incident): PendingCase => ({
      kind: 'incident',
      id: incident.id,
      target: { kind: 'incident', id: incident.id },
      name: incidentHeadline(incident, { network, moment }),
      owner: subjectLabel(incident.subject),
      incident,
    }),
    group: (group: CauseGroup): PendingCase => {
      const { id, size, isParked, only } = group;
      if (only !== undefined) return requestCase(only.key, only.networkId, only.sequence, only);
      const name = `${isParked ? `${groupDigits(size)} parked requests` : singleText(size)}: ${groupTitle(group)}`;
      return { kind: 'group', id, target: { kind: 'group', id }, name, owner: undefined, group };
    },
    request: (key: string): PendingCase | undefined => {
      const locator = locatorOfKey(key);
      return locator && requestCase(key, locator.networkId, locator.sequence);
    },
  };
}

/** While no case is open, `j` and `k` move through the list and Enter opens a case. */
function useListKeys(isFree: boolean): void {
  const go = (by: 1 | -1) => {
    const openers = [...document.querySelectorAll<HTMLElement>('[data-opener]')].filter((opener) =>
      opener.checkVisibility(),
    );
    const next = openers.indexOf(document.activeElement as HTMLElement) + by;
    openers[Math.max(0, Math.min(openers.length - 1, next))]?.focus();
  };
  useShortcut(isFree ? 'j' : undefined, () => go(1));
  useShortcut(isFree ? 'k' : undefined, () => go(-1));
}

type AllProps = { incidents: readonly Incident[]; groups: readonly CauseGroup[] };

function AcknowledgeAll({ incidents, groups }: AllProps) {
  const acknowledgements = useAcknowledgements();
  if (incidents.length + groups.length < 2) return null;
  const targets: OrderTarget[] = [
    ...incidents
      .map(({ id }) => ({ kind: 'incident' as const, id }))
      .filter((target) => acknowledgements?.get(targetKey(target)) === undefined),
    ...groups
      .filter(({ size, acknowledged }) => acknowledged < size)
      .map(({ id }) => ({ kind: 'group' as const, id })),
  ];
  if (targets.length === 0) return null;
  return <Acknowledge targets={targets} what="everything listed" label="Acknowledge all" />;
}

type ParkedProps = {
  cases: readonly PendingCase[];
  answer: TriageAnswer;
  open: PendingCase | undefined;
  onToggle: (row: PendingCase) => void;
};

/** Requests older than a day. No count of stuck requests includes them. */
function Parked({ cases, answer: { counts, examinedFromMs }, open, onToggle }: ParkedProps) {
  const { parked, unexamined } = counts;
  if (parked === 0) return null;
  const isOpenHere = cases.some(({ id }) => id === open?.id);
  return (
    <Box component="details" open={isOpenHere || undefined} data-parked={parked}>
      <summary>
        <strong>{groupDigits(parked)} parked</strong>{' '}
        <MutedInline>single requests older than a day, not counted as stuck</MutedInline>
      </summary>
      <Stack gap="xs" mt="xs">
        {cases.length === 0 ? null : (
          <CaseTable
            label="Parked requests"
            isNarrow={open !== undefined}
            cases={cases}
            open={open}
            onToggle={onToggle}
          />
        )}
        {unexamined === 0 || examinedFromMs === undefined ? null : (
          <Muted>
            {groupDigits(unexamined)} older ones are counted and not examined.{' '}
            <Link href={unexaminedPath(examinedFromMs)}>View requests</Link>
          </Muted>
        )}
      </Stack>
    </Box>
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

/** Undefined if the subject is the whole network. Untrusted texts are clipped. */
function subjectLabel(subject: Incident['subject']): { label: string; value: string } | undefined {
  switch (subject.kind) {
    case 'sender':
      return { label: 'Sender', value: clipped(subject.sender, 80) };
    case 'transaction':
      return { label: 'Transaction', value: clipped(subject.transaction, 80) };
    case 'rest':
      return subject.provider ? { label: 'Provider', value: clipped(subject.provider, 80) } : undefined;
    case 'replica': {
      const rest = `sequence mod ${subject.modulus} = ${subject.remainder}`;
      return { label: 'Sequences', value: `${rest}, provider ${clipped(subject.provider, 80)}` };
    }
    default:
      return undefined;
  }
}
