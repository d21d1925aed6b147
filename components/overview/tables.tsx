'use client';
import { Anchor, Badge, Group, SimpleGrid, Title } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Field } from '@/components/ui/field';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Muted } from '@/components/ui/text';
import { FollowAcknowledgements } from '@/lib/alerts/client/use-acknowledgements';
import { SIDE_LABELS } from '@/lib/core/request-failure-cause';
import { shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { failureTrend } from '@/lib/insights/failures';
import { countText, lengthText, orDash } from '@/lib/insights/format';
import type { FailureInsight, Insights, SenderInsight } from '@/lib/insights/insights-response';
import { rowsPath, type Scope } from '@/lib/insights/links';
import { ofWholeBuckets } from '@/lib/insights/over-time';
import classes from './overview.module.css';
import { emptyText, Panel, Sparkline } from './panel';
import { MAX_SHOWN, Rows, rowsHeight, Seen, share } from './table-cells';
import { useInsights } from './use-insights';

type Shown = Scope & Pick<Insights, 'buckets' | 'logBeginsMs'>;

const LISTED_SENDERS = 10;

export function Failures() {
  const state = useInsights('failures');
  const [open, setOpen] = useState<string>();
  const nameOf = useNetworkName();
  const { shown } = state;
  const { groups = [], rows = 0, others = { groups: 0, rows: 0 } } = shown?.failures ?? {};
  const toggle = (group: string) => setOpen(open === group ? undefined : group);
  return (
    <Panel
      title="Failures by reason"
      state={state}
      height={rowsHeight(MAX_SHOWN + 1)}
      empty={shown !== undefined && rows === 0 ? emptyText(shown, 'failures') : undefined}
      aside={`${countText(rows)} in ${countText(groups.length + others.groups)} groups`}
    >
      {shown === undefined ? null : (
        <>
          <FollowAcknowledgements />
          <DataTable
            label="Failures"
            variant="plain"
            hasCards
            miw="60rem"
            columns={[
              {
                name: 'Failure',
                kind: 'head',
                cell: (failure) => (
                  <FailureName failure={failure} isOpen={open === failure.group} onToggle={toggle} />
                ),
              },
              ...failureColumns(shown, rows, nameOf),
            ]}
            rows={groups}
            rowProps={({ group }) => ({ key: group, 'data-failure': group })}
            below={(failure) => open === failure.group && <Details failure={failure} scope={shown} />}
            first={{ count: MAX_SHOWN, noun: 'groups' }}
          />
        </>
      )}
      {others.groups === 0 ? null : (
        <Muted mt="xs">
          {countText(others.rows)} more in {countText(others.groups)} smaller groups
        </Muted>
      )}
    </Panel>
  );
}

type NameProps = { failure: FailureInsight; isOpen: boolean; onToggle: (group: string) => void };

function FailureName({ failure: { group, isNew }, isOpen, onToggle }: NameProps) {
  const name = clipped(group, 120);
  return (
    <Group component="span" gap="var(--ks-gap-sm)" wrap="nowrap">
      <Anchor
        component="button"
        c="var(--ks-text)"
        fw={550}
        maw={{ base: '100%', sm: '30rem', xl: '60rem' }}
        truncate
        aria-expanded={isOpen}
        aria-label={`Details of ${name}`}
        onClick={() => onToggle(group)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} /> <bdi className="foreign">{name}</bdi>
      </Anchor>
      {isNew === true ? (
        <Badge size="sm" color="warn" title="Not seen in the 7 days before">
          New
        </Badge>
      ) : null}
      <AcknowledgedMark target={{ kind: 'failure', id: group }} />
    </Group>
  );
}

function failureColumns(
  scope: Shown,
  total: number,
  nameOf: (networkId: string) => string,
): Column<FailureInsight>[] {
  return [
    {
      name: 'Requests',
      kind: 'figure',
      cell: ({ group, rows }) => <Rows count={rows} href={rowsPath(scope, { failures: [group] })} />,
    },
    { name: 'Share', kind: 'figure', isWide: true, cell: ({ rows }) => share(rows, total) },
    {
      name: 'Trend',
      isWide: true,
      cell: ({ overTime }) => (
        <span title={failureTrend(overTime, scope)}>
          <Sparkline values={ofWholeBuckets(overTime, scope)} text={countText} />
          <span className="sr-only">{failureTrend(overTime, scope)}</span>
        </span>
      ),
    },
    {
      name: 'Networks',
      cell: ({ networks: [first, ...more] }) => (
        <bdi>
          {first === undefined ? '–' : clipped(nameOf(first.networkId), 30)}
          {more.length > 0 ? ` +${more.length}` : ''}
        </bdi>
      ),
    },
    { name: 'Senders', kind: 'figure', isWide: true, cell: ({ senders }) => countText(senders) },
    { name: 'First in range', kind: 'figure', isWide: true, cell: ({ firstUs }) => <Seen us={firstUs} /> },
    { name: 'Last in range', kind: 'figure', isWide: true, cell: ({ lastUs }) => <Seen us={lastUs} /> },
  ];
}

const MAX_NAMED_URLS = 12;

function Details({ failure, scope }: { failure: FailureInsight; scope: Scope }) {
  const { group, rows, networks, example, cause } = failure;
  const { side = 'unknown', step } = cause;
  const nameOf = useNetworkName();
  const rowsOf = (view: Scope['view']) => rowsPath({ ...scope, view }, { failures: [group] });
  return (
    <dl style={{ maxWidth: '70rem' }}>
      <Field name="Example">
        <span className="foreign mono">{clipped(example, 500)}</span>
      </Field>
      <Field name="Side">{SIDE_LABELS[side]}</Field>
      <Field name="Next step">{step}</Field>
      <Field name="Networks">
        {networks.slice(0, MAX_NAMED_URLS).map(({ networkId, rows: count }, at) => (
          <Fragment key={networkId}>
            {at === 0 ? '' : ', '}
            <Link href={rowsOf({ ...scope.view, networks: [networkId] })}>
              {clipped(nameOf(networkId), 40)} {countText(count)}
            </Link>
          </Fragment>
        ))}
        {networks.length > MAX_NAMED_URLS ? ` and ${networks.length - MAX_NAMED_URLS} more` : ''}
      </Field>
      <Field name="Requests">
        <Link href={rowsOf(scope.view)}>
          View {countText(rows)} {rows === 1 ? 'request' : 'requests'}
        </Link>
      </Field>
      <Field name="Quiet">
        <Acknowledge targets={[{ kind: 'failure', id: group }]} what={clipped(group, 120)} />
      </Field>
    </dl>
  );
}

export function Senders() {
  const state = useInsights('senders');
  const { shown } = state;
  const { byFailures = [], byRequests = [], count = 0 } = shown?.senders ?? {};
  const list = (title: string, senders: readonly SenderInsight[], scope: Scope) => (
    <div>
      <Title order={3} c="dimmed" mb={4}>
        {title}
      </Title>
      {senders.length === 0 ? (
        <Muted>None</Muted>
      ) : (
        <DataTable
          label={title}
          variant="plain"
          hasCards
          miw="36rem"
          className={classes.sticky}
          columns={senderColumns(scope)}
          rows={senders}
          rowProps={({ sender }) => ({ key: sender })}
        />
      )}
    </div>
  );
  return (
    <Panel
      title="Senders"
      state={state}
      height={`calc(${1 + LISTED_SENDERS} * var(--overview-row) + 33px)`}
      empty={shown !== undefined && count === 0 ? emptyText(shown, 'senders') : undefined}
      aside={`${countText(count)} in all`}
    >
      {shown === undefined ? null : (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          {list('Most failures', byFailures, shown)}
          {list('Most requests', byRequests, shown)}
        </SimpleGrid>
      )}
    </Panel>
  );
}

const failuresOf = ({ failed, callbackFailed }: SenderInsight) => failed + callbackFailed;

function senderColumns(scope: Scope): Column<SenderInsight>[] {
  const failed = (sender: string) => ({ senders: [sender], states: ['callback-failed', 'failed'] });
  const figures: Column<SenderInsight>[] = [
    { name: 'Requests', cell: ({ requests }) => countText(requests) },
    {
      // Failed requests and failed callbacks; the table of networks has a column of each.
      name: 'Failures',
      cell: (sender) => <Rows count={failuresOf(sender)} href={rowsPath(scope, failed(sender.sender))} />,
    },
    {
      name: 'Failure share',
      cell: (sender) => share(failuresOf(sender), sender.completed + failuresOf(sender)),
    },
    { name: 'p95', isWide: true, cell: ({ p95Us }) => orDash(p95Us, lengthText) },
    {
      name: 'Gas used',
      isWide: true,
      cell: ({ p50GasShare }) => <span title="p50 of the gas limit">{orDash(p50GasShare, shareText)}</span>,
    },
    { name: 'Last in range', isWide: true, cell: ({ lastUs }) => <Seen us={lastUs} /> },
  ];
  return [
    {
      name: 'Sender',
      kind: 'head',
      cell: ({ sender }) => (
        <>
          <Link href={rowsPath(scope, { senders: [sender] })} title={clipped(sender, 100)}>
            <bdi className="mono">{shortenHex(sender)}</bdi>
          </Link>
          <CopyButton value={sender} label={`Copy sender ${shortenHex(sender)}`} />
        </>
      ),
    },
    ...figures.map((figure) => ({ ...figure, kind: 'figure' as const })),
  ];
}
