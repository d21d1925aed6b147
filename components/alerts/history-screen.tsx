'use client';
import { Badge, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import type { Route } from 'next';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo } from 'react';
import { useLive } from '@/components/ui/live-controls';
import { useMomentWords } from '@/components/ui/time-style';
import { type History, lengthMs, type Told, type Week } from '@/lib/alerts/history';
import { unknownNetwork } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import { formatDuration, formatSpan } from '@/lib/core/time';
import type { RuleId } from '@/lib/pending/answers';
import { RULE_TITLES } from '@/lib/pending/rules/verdict';
import classes from './history.module.css';

type Chosen = { network: string | undefined; keeper: string | undefined };
type Kept = History['incidents'][number];

/** What was stuck in the last 90 days, for how long and why, and the figures of each week. */
export function HistoryScreen({
  history,
  chosen,
  keepers,
}: {
  history: History;
  chosen: Chosen;
  keepers: readonly string[];
}) {
  const { incidents, weeks, networks, nowMs, isWhole } = history;
  const names = useMemo(() => new Map(networks.map(({ networkId, name }) => [networkId, name])), [networks]);
  const nameOf = (id: string) => clipped(names.get(id) ?? unknownNetwork(id).name, 60);
  return (
    <Stack gap="md" className={classes.screen}>
      <Group justify="space-between" align="end">
        <div>
          <Title order={1}>Incident history</Title>
          <Link href="/pending" prefetch={false}>
            Pending requests
          </Link>
        </div>
        <Filters chosen={chosen} keepers={keepers} networks={networks} />
      </Group>
      <Section title="Weekly figures">
        <Weeks weeks={weeks} />
      </Section>
      <Section title="Incidents, last 90 days">
        {incidents.length === 0 ? (
          <Text c="dimmed">No incident was recorded.</Text>
        ) : (
          <Scroller label="Incidents, scrollable">
            <Table className={classes.table} verticalSpacing={4}>
              <Table.Caption className="sr-only">Incidents of the last 90 days</Table.Caption>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Network</Table.Th>
                  {keepers.length > 1 ? <Table.Th scope="col">Keeper</Table.Th> : null}
                  <Table.Th scope="col">Opened</Table.Th>
                  <Table.Th scope="col">Length</Table.Th>
                  <Table.Th scope="col" className={classes.figure}>
                    Most pending
                  </Table.Th>
                  <Table.Th scope="col">Likely cause</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {incidents.map((one) => (
                  <IncidentRow
                    key={one.key}
                    incident={one}
                    network={nameOf(one.networkId)}
                    hasKeeper={keepers.length > 1}
                    nowMs={nowMs}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Scroller>
        )}
        {isWhole ? null : <Text c="dimmed">Older ones are not listed. Choose a network.</Text>}
      </Section>
    </Stack>
  );
}

function Filters({
  chosen,
  keepers,
  networks,
}: { chosen: Chosen; keepers: readonly string[] } & Pick<History, 'networks'>) {
  const router = useRouter();
  const live = useLive();
  const show = (change: Partial<Chosen>) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...chosen, ...change })) if (value) query.set(name, value);
    router.push(`/pending/history?${query}` as Route, { scroll: false });
  };
  return (
    <Group gap="xs">
      <NativeSelect
        label="Network"
        disabled={!live}
        value={chosen.network ?? ''}
        onChange={(event) => show({ network: event.currentTarget.value })}
        data={[
          { value: '', label: 'All networks' },
          ...networks.map(({ networkId, name }) => ({ value: networkId, label: clipped(name, 60) })),
        ]}
      />
      {keepers.length < 2 ? null : (
        <NativeSelect
          label="Keeper"
          disabled={!live}
          value={chosen.keeper ?? ''}
          onChange={(event) => show({ keeper: event.currentTarget.value })}
          data={[{ value: '', label: 'All keepers' }, ...keepers]}
        />
      )}
    </Group>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

function Scroller({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

const NONE = '—';

function Weeks({ weeks }: { weeks: readonly Week[] }) {
  return (
    <Scroller label="Weekly figures, scrollable">
      <Table className={classes.table} verticalSpacing={2}>
        <Table.Caption className="sr-only">Figures of each week</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Week from (UTC)</Table.Th>
            {['Requests', 'Success rate', 'p95', 'Incidents', 'Longest'].map((name) => (
              <Table.Th key={name} scope="col" className={classes.figure}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {weeks.map((week) => (
            <Table.Tr key={week.fromMs} data-week={new Date(week.fromMs).toISOString().slice(0, 10)}>
              <Table.Th scope="row" className="num">
                {new Date(week.fromMs).toISOString().slice(0, 10)}{' '}
                {week.isCovered ? null : (
                  <Badge title="The index does not hold every request of this week">Partial</Badge>
                )}
              </Table.Th>
              {figuresOf(week).map(([name, text]) => (
                <Table.Td key={name} className={`${classes.figure} num`} data-figure={name}>
                  {text}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}

function figuresOf({ requests, successRate, p95Us, incidents, longestMs }: Week): [string, string][] {
  return [
    ['requests', groupDigits(String(requests))],
    ['success-rate', successRate === null ? NONE : shareText(successRate)],
    ['p95', p95Us === null ? NONE : formatDuration(p95Us / 1000)],
    ['incidents', groupDigits(String(incidents))],
    ['longest', longestMs === null ? NONE : formatSpan(longestMs)],
  ];
}

/** Rounded down: one failure is not 100%. */
function shareText(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)}%`;
}

const SEVERITIES: Record<string, { label: string; color: string }> = {
  critical: { label: 'Critical', color: 'bad' },
  warning: { label: 'Warning', color: 'warn' },
};

function IncidentRow({
  incident,
  network,
  hasKeeper,
  nowMs,
}: {
  incident: Kept;
  network: string;
  hasKeeper: boolean;
  nowMs: number;
}) {
  const moment = useMomentWords();
  const { id, keeper, rules, headline, severity, openedMs, closedMs, peak, events } = incident;
  const [cause, ...later] = rules;
  const owner = ownerOf(id);
  const grave = SEVERITIES[severity];
  return (
    <Table.Tr data-incident={id} data-rule={cause} data-closed={closedMs === null ? 'no' : 'yes'}>
      <Table.Th scope="row">
        <bdi>{network}</bdi>
      </Table.Th>
      {hasKeeper ? <Table.Td>{keeper}</Table.Td> : null}
      <Table.Td className="num">{moment(openedMs)}</Table.Td>
      <Table.Td className="num">
        {formatSpan(lengthMs(incident, nowMs))}{' '}
        {closedMs !== null ? null : (
          <Link href={`/pending?incident=${encodeURIComponent(id)}`} prefetch={false}>
            Open
          </Link>
        )}
      </Table.Td>
      <Table.Td className={`${classes.figure} num`}>{groupDigits(String(peak))}</Table.Td>
      <Table.Td miw="18rem">
        <strong>{ruleTitle(cause)}</strong>{' '}
        {grave === undefined ? null : <Badge color={grave.color}>{grave.label}</Badge>}
        <Text c="dimmed">
          {headline}
          {owner === undefined ? null : (
            <>
              {'. '}
              {owner.label} <bdi className="mono">{shortened(owner.value)}</bdi>
            </>
          )}
        </Text>
        {later.length === 0 ? null : <Text c="dimmed">Later: {later.map(ruleTitle).join(', ')}</Text>}
        <details>
          <summary>
            {events.length} {events.length === 1 ? 'event' : 'events'}
          </summary>
          <ol className={classes.events}>
            {events.map((event) => (
              <EventLine key={`${event.atMs} ${event.kind} ${event.rule}`} event={event} />
            ))}
          </ol>
        </details>
      </Table.Td>
    </Table.Tr>
  );
}

function ruleTitle(rule: string | null | undefined): string {
  return RULE_TITLES[rule as RuleId] ?? String(rule);
}

/** The sender or the transaction that an incident is about, as its id has it. */
function ownerOf(id: string): { label: string; value: string } | undefined {
  const [, , kind, value] = id.split('/');
  if (value === undefined || (kind !== 'sender' && kind !== 'transaction')) return undefined;
  return { label: kind === 'sender' ? 'Sender' : 'Transaction', value: decodeURIComponent(value) };
}

const EVENT_WORDS: Record<Told['kind'], string> = {
  opened: 'Opened',
  grew: 'Grew',
  explained: 'Explained as',
  acknowledged: 'Acknowledged',
  undone: 'Acknowledgement undone',
  returned: 'Came back',
  closed: 'Closed',
};

function EventLine({ event }: { event: Told }) {
  const moment = useMomentWords();
  const { atMs, kind, size, rule, by, note, untilMs } = event;
  const pending = ['opened', 'grew', 'returned'].includes(kind)
    ? `: ${groupDigits(String(size))} pending`
    : '';
  return (
    <li data-event={kind}>
      <span className="num">{moment(atMs)}</span> {EVENT_WORDS[kind]}
      {kind === 'explained' ? ` ${ruleTitle(rule)}` : pending}
      {by === null ? null : (
        <>
          {' by '}
          <bdi>{clipped(by, 80)}</bdi>
        </>
      )}
      {untilMs === null ? null : `, until ${moment(untilMs)}`}
      {note === null || note === '' ? null : (
        <>
          {': '}
          <q className="foreign">{clipped(note, 500)}</q>
        </>
      )}
    </li>
  );
}
