'use client';
import { Anchor, Badge, Group, SimpleGrid, Title } from '@mantine/core';
import { Fragment, type ReactNode, useContext, useState } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Field } from '@/components/ui/field';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Muted, MutedInline } from '@/components/ui/text';
import { useMoment } from '@/components/ui/time-style';
import { FollowAcknowledgements } from '@/lib/alerts/client';
import { groupCause, SIDE_LABELS } from '@/lib/core/failure-cause';
import { answeredShare, callbacksOkShare, shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { ANOMALY_TITLES, anomalySentence } from '@/lib/insights/anomaly';
import { isSlow } from '@/lib/insights/baseline';
import { trendOf } from '@/lib/insights/failures';
import { countText, lengthText, orDash } from '@/lib/insights/format';
import type {
  FailureInsight,
  Insights,
  NetworkInsight,
  SenderInsight,
} from '@/lib/insights/insights-response';
import { rowsPath, type Scope } from '@/lib/insights/links';
import { ofWholeBuckets } from '@/lib/insights/over-time';
import type { RequestsView } from '@/lib/requests/view';
import classes from './overview.module.css';
import { emptyText, Panel, Sparkline } from './panel';
import { OverviewContext, useInsights } from './use-insights';

/** Rows shown before "Show all". */
const MAX_SHOWN = 8;
/** Height of a table with this many rows (cards on a phone), its head and, of more rows than are shown, its button. */
const rowsHeight = (rows: number) =>
  rows > MAX_SHOWN
    ? `calc(${MAX_SHOWN} * var(--overview-row) + 33px + var(--mantine-spacing-xs) + 22px)`
    : `calc(${rows} * var(--overview-row) + 33px)`;
const LISTED_SENDERS = 10;

function Rows({ count, href }: { count: number; href: Parameters<typeof Link>[0]['href'] }) {
  return count === 0 ? '0' : <Link href={href}>{countText(count)}</Link>;
}

function Seen({ us }: { us: number }) {
  const { text, title } = useMoment(Math.floor(us / 1000));
  return <span title={title}>{text}</span>;
}

const share = (part: number, of: number) => (of === 0 ? '–' : shareText(part / of));

const TONES = { bad: 'bad', warning: 'warn', notice: 'idle' };

/** Networks compared with their own usual figures, unusual ones first. @param expected number of rows to reserve height for */
export function Networks({ expected }: { expected: number }) {
  const state = useInsights('networks');
  const { keepers, view } = useContext(OverviewContext);
  const nameOf = useNetworkName();
  const { shown } = state;
  const usual = expected === 0 ? MAX_SHOWN : expected;
  const rooms = view.networks.length === 0 ? usual : view.networks.length * Math.max(1, keepers.length);
  const networks = shown?.networks ?? [];
  return (
    <Panel
      title="Networks"
      state={state}
      height={rowsHeight(Math.max(1, rooms))}
      empty={networks.length === 0 ? 'No requests in this range or the last 8 days' : undefined}
    >
      {shown === undefined ? null : (
        <DataTable
          label="Networks"
          variant="plain"
          hasCards
          miw="70rem"
          className={classes.sticky}
          columns={networkColumns(shown, networks, nameOf)}
          rows={networks}
          // Keyed by place: a moved row would count as layout shift.
          rowProps={({ keeper, networkId }, at) => ({
            key: `${at} ${keeper} ${networkId}`,
            'data-network': networkId,
          })}
          first={{ count: MAX_SHOWN, noun: 'networks' }}
          unsorted="Unusual first"
        />
      )}
    </Panel>
  );
}

type NetworkFigure = Pick<Column<NetworkInsight>, 'name'> & {
  value: (network: NetworkInsight) => number | null;
  /** Formats the value; without it the value is a count that links to its rows. */
  text?: (value: number) => ReactNode;
  view?: Partial<RequestsView>;
  href?: '/pending';
  isWide?: true;
  tone?: (network: NetworkInsight) => 'bad' | 'warn' | false;
};

type Shown = Scope & Pick<Insights, 'buckets'>;

function networkColumns(
  scope: Shown,
  networks: readonly NetworkInsight[],
  nameOf: (id: string) => string,
): Column<NetworkInsight>[] {
  const total = networks.reduce((sum, { now }) => sum + now.requests, 0);
  /** View of the network's rows at this keeper, since several keepers may serve one network. */
  const networkHref = ({ keeper, networkId }: NetworkInsight, change?: Partial<RequestsView>) => {
    const keepers = scope.keepers.length > 1 ? [keeper] : scope.view.keepers;
    return rowsPath({ ...scope, view: { ...scope.view, networks: [networkId], keepers } }, change);
  };
  const has = ({ unusual }: NetworkInsight, kind: keyof typeof ANOMALY_TITLES) =>
    unusual.some((one) => one.kind === kind);
  const failing: NetworkFigure['tone'] = (one) => has(one, 'failing') && 'bad';
  const figures: NetworkFigure[] = [
    { name: 'Requests', value: ({ now }) => now.requests },
    { name: 'Share', isWide: true, value: ({ now }) => now.requests, text: (count) => share(count, total) },
    { name: 'Answered', value: ({ now }) => answeredShare(now), text: shareText, tone: failing },
    {
      name: 'Callbacks OK',
      isWide: true,
      value: ({ now }) => callbacksOkShare(now),
      text: shareText,
      tone: (one) => has(one, 'callbacks-failing') && 'warn',
    },
    {
      name: 'Callback failed',
      isWide: true,
      value: ({ now }) => now.callbackFailed,
      view: { states: ['callback-failed'] },
    },
    {
      name: 'Failed',
      isWide: true,
      value: ({ now }) => now.failed,
      view: { states: ['failed'] },
      tone: failing,
    },
    { name: 'p50', isWide: true, value: ({ now }) => now.p50Us, text: lengthText },
    {
      name: 'p95',
      value: ({ now }) => now.p95Us,
      text: lengthText,
      tone: ({ now, weekP95Us }) => isSlow(now.p95Us, weekP95Us) && 'warn',
    },
    { name: 'p95, 7 d', isWide: true, value: ({ weekP95Us }) => weekP95Us, text: lengthText },
    {
      name: 'Pending',
      isWide: true,
      value: ({ pending }) => pending.pending,
      view: { states: ['pending'], time: { kind: 'all' } },
    },
    {
      name: 'Stuck',
      value: ({ pending }) => pending.stuck,
      href: '/pending',
      tone: ({ pending }) => pending.stuck > 0 && 'bad',
    },
    {
      name: 'Last request',
      isWide: true,
      value: ({ lastUs }) => lastUs,
      text: (us) => <Seen us={us} />,
      tone: (one) => (has(one, 'silent') ? 'bad' : one.isQuiet && 'warn'),
    },
  ];
  return [
    {
      name: 'Network',
      kind: 'head',
      cell: (network) => (
        <Group component="span" gap="0 var(--ks-gap-sm)">
          <Link href={networkHref(network)}>
            <bdi>{clipped(nameOf(network.networkId), 40)}</bdi>
          </Link>
          {scope.keepers.length > 1 ? (
            <MutedInline size="sm">{clipped(network.keeper, 20)}</MutedInline>
          ) : null}
          {network.pending.stuck > 0 ? (
            <Badge size="sm" flex="none" color="bad">
              {countText(network.pending.stuck)} stuck
            </Badge>
          ) : null}
          {network.unusual.map((anomaly) => (
            <Badge
              key={anomaly.kind}
              size="sm"
              flex="none"
              color={TONES[anomaly.level]}
              title={anomalySentence(anomaly, network.usual)}
            >
              {ANOMALY_TITLES[anomaly.kind]}
              <span className="sr-only">: {anomalySentence(anomaly, network.usual)}</span>
            </Badge>
          ))}
        </Group>
      ),
    },
    ...figures.map(
      ({ name, value, text, view, href, tone, isWide = false }): Column<NetworkInsight> => ({
        name,
        value,
        isWide,
        kind: 'figure',
        cell: (one) =>
          text ? (
            orDash(value(one), text)
          ) : (
            <Rows count={value(one) ?? 0} href={href ?? networkHref(one, view)} />
          ),
        mark: (one) => ({ 'data-tone': tone?.(one) || undefined }),
      }),
    ),
    {
      name: 'Trend',
      isWide: true,
      cell: ({ overTime }) => <Sparkline values={ofWholeBuckets(overTime, scope)} />,
    },
  ];
}

/** Failures by reason, most frequent first; each unfolds to an example and the next step. */
export function Failures() {
  const state = useInsights('failures');
  const [open, setOpen] = useState<string>();
  const nameOf = useNetworkName();
  const { shown } = state;
  const { groups = [], rows = 0, others = { groups: 0, rows: 0 } } = shown?.failures ?? {};
  const columns = (scope: Shown): Column<FailureInsight>[] => [
    {
      name: 'Failure',
      kind: 'head',
      cell: ({ group, isNew }) => (
        <Group component="span" gap="var(--ks-gap-sm)" wrap="nowrap">
          <Anchor
            component="button"
            c="var(--ks-text)"
            fw={550}
            maw={{ base: '100%', sm: '30rem', xl: '60rem' }}
            truncate
            aria-expanded={open === group}
            aria-label={`Details of ${clipped(group, 120)}`}
            onClick={() => setOpen(open === group ? undefined : group)}
          >
            <Icon name={open === group ? 'down' : 'right'} size={12} />{' '}
            <bdi className="foreign">{clipped(group, 120)}</bdi>
          </Anchor>
          {isNew === true ? (
            <Badge size="sm" color="warn" title="Not seen in the 7 days before">
              New
            </Badge>
          ) : null}
          <AcknowledgedMark target={{ kind: 'failure', id: group }} />
        </Group>
      ),
    },
    {
      name: 'Requests',
      kind: 'figure',
      cell: ({ group, rows: count }) => <Rows count={count} href={rowsPath(scope, { failures: [group] })} />,
    },
    { name: 'Share', kind: 'figure', isWide: true, cell: ({ rows: count }) => share(count, rows) },
    {
      name: 'Trend',
      isWide: true,
      cell: ({ overTime }) => (
        <span title={trendOf(overTime)}>
          <Sparkline values={ofWholeBuckets(overTime, scope)} />
          <span className="sr-only">{trendOf(overTime)}</span>
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
    { name: 'First seen', kind: 'figure', isWide: true, cell: ({ firstUs }) => <Seen us={firstUs} /> },
    { name: 'Last seen', kind: 'figure', isWide: true, cell: ({ lastUs }) => <Seen us={lastUs} /> },
  ];
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
            columns={columns(shown)}
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

const MAX_NAMED_URLS = 12;

function Details({ failure, scope }: { failure: FailureInsight; scope: Scope }) {
  const { group, rows, networks, example } = failure;
  const { side = 'unknown', step } = groupCause(failure);
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

/** Contracts with most failures, and with most requests. */
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
      name: 'Failed',
      cell: (one) => <Rows count={failuresOf(one)} href={rowsPath(scope, failed(one.sender))} />,
    },
    { name: 'Rate', cell: (one) => share(failuresOf(one), one.completed + failuresOf(one)) },
    { name: 'p95', isWide: true, cell: ({ p95Us }) => orDash(p95Us, lengthText) },
    {
      name: 'Gas used',
      isWide: true,
      cell: ({ p50GasShare }) => <span title="p50 of the gas limit">{orDash(p50GasShare, shareText)}</span>,
    },
    { name: 'Last seen', isWide: true, cell: ({ lastUs }) => <Seen us={lastUs} /> },
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
    ...figures.map((one) => ({ ...one, kind: 'figure' as const })),
  ];
}
