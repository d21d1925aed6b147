'use client';
import { Badge, Button, Table, Text } from '@mantine/core';
import Link from 'next/link';
import { Fragment, useState } from 'react';
import { Acknowledge, AcknowledgedMark } from '@/components/alerts/acknowledge';
import { Icon } from '@/components/ui/icons';
import { useMomentText } from '@/components/ui/time-style';
import { FollowAcknowledgements } from '@/lib/alerts/client';
import { clipped } from '@/lib/core/text';
import type { FailureInsight } from '@/lib/insights/answer';
import { failureAdvice, trendOf } from '@/lib/insights/failures';
import { countText, shareText } from '@/lib/insights/format';
import { rowsPath, type Scope } from '@/lib/insights/links';
import classes from './overview.module.css';
import { Panel, Sparkline } from './panel';
import { useInsights, useNetworkName } from './use-insights';

const ROW_PX = 33;
const MOST_SHOWN = 8;
const COLUMNS = ['Failure', 'Count', 'Share', 'Trend', 'Networks', 'Senders', 'First seen', 'Last seen'];

/** Failures by their reason, the most frequent first; one opens to an example and the next step. */
export function Failures() {
  const state = useInsights('failures');
  const moment = useMomentText();
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<string>();
  const { shown } = state;
  const { groups = [], rows = 0, others } = shown?.failures ?? {};
  return (
    <Panel
      title="Failures by reason"
      state={state}
      height={ROW_PX * (1 + MOST_SHOWN)}
      empty={rows === 0 ? 'No failures in this span' : undefined}
      beside={
        <Text span size="sm" c="dimmed" className="num">
          {countText(rows)} in {countText(groups.length + (others?.groups ?? 0))} groups
        </Text>
      }
    >
      {shown === undefined ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
        <section className={classes.scroller} aria-label="Failures, scrollable" tabIndex={0}>
          <FollowAcknowledgements />
          <Table className={`${classes.table} num`} aria-label="Failures" style={{ minWidth: '60rem' }}>
            <Table.Thead>
              <Table.Tr>
                {COLUMNS.map((name) => (
                  <Table.Th key={name} scope="col">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {(isAll ? groups : groups.slice(0, MOST_SHOWN)).map((failure) => (
                <Group
                  key={failure.group}
                  failure={failure}
                  total={rows}
                  scope={shown}
                  isOpen={open === failure.group}
                  onToggle={() => setOpen(open === failure.group ? undefined : failure.group)}
                  moment={(us) => moment(Math.floor(us / 1000))}
                />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      {groups.length <= MOST_SHOWN || isAll ? null : (
        <Button size="compact-xs" mt="xs" onClick={() => setAll(true)}>
          All {countText(groups.length)} groups
        </Button>
      )}
      {others === undefined || others.groups === 0 || !isAll ? null : (
        <Text c="dimmed" mt="xs">
          {countText(others.rows)} more in {countText(others.groups)} smaller groups
        </Text>
      )}
    </Panel>
  );
}

type GroupProps = {
  failure: FailureInsight;
  total: number;
  scope: Scope;
  isOpen: boolean;
  onToggle: () => void;
  moment: (us: number) => { text: string; title: string };
};

function Group(props: GroupProps) {
  const { failure, total, scope, isOpen, onToggle, moment } = props;
  const networkOf = useNetworkName();
  const { group, rows, firstUs, lastUs, senders, networks, overTime, isNew } = failure;
  const name = clipped(group, 120);
  const [first] = networks;
  const trend = trendOf(overTime);
  const [seenFirst, seenLast] = [moment(firstUs), moment(lastUs)];
  return (
    <Fragment>
      <Table.Tr data-failure={group}>
        <Table.Th scope="row" className={classes.failure}>
          <button type="button" aria-expanded={isOpen} aria-label={`Details of ${name}`} onClick={onToggle}>
            <Icon name={isOpen ? 'down' : 'right'} size={12} />
            <bdi className="foreign">{name}</bdi>
          </button>
          {isNew === true ? (
            <Badge size="sm" color="warn" title="Not seen in the 7 days before">
              New
            </Badge>
          ) : null}
          <AcknowledgedMark target={{ kind: 'failure', id: group }} />
        </Table.Th>
        <Table.Td>
          <Link href={rowsPath(scope, { failures: [group] })} prefetch={false}>
            {countText(rows)}
          </Link>
        </Table.Td>
        <Table.Td>{shareText(rows / Math.max(1, total))}</Table.Td>
        <Table.Td className={classes.trend} title={trend === 'steady' ? undefined : trend}>
          <Sparkline values={overTime} />
          <span className="sr-only">{trend}</span>
        </Table.Td>
        <Table.Td className="foreign">
          {first === undefined ? '–' : clipped(networkOf(first.networkId), 30)}
          {networks.length > 1 ? ` +${networks.length - 1}` : ''}
        </Table.Td>
        <Table.Td>{countText(senders)}</Table.Td>
        <Table.Td title={seenFirst.title}>{seenFirst.text}</Table.Td>
        <Table.Td title={seenLast.title}>{seenLast.text}</Table.Td>
      </Table.Tr>
      {isOpen ? (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS.length} className={classes.details}>
            <Details {...props} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </Fragment>
  );
}

function Details({ failure: { group, rows, networks, example }, scope }: GroupProps) {
  const networkOf = useNetworkName();
  return (
    <dl>
      <dt>Example</dt>
      <dd className="foreign mono">{clipped(example, 500)}</dd>
      <dt>Next step</dt>
      <dd>{failureAdvice(group)}</dd>
      <dt>Networks</dt>
      <dd>
        {networks.slice(0, 12).map(({ networkId, rows: count }, at) => (
          <Fragment key={networkId}>
            {at === 0 ? '' : ', '}
            <Link
              href={rowsPath(
                { ...scope, view: { ...scope.view, networks: [networkId] } },
                { failures: [group] },
              )}
              prefetch={false}
            >
              {clipped(networkOf(networkId), 40)} {countText(count)}
            </Link>
          </Fragment>
        ))}
        {networks.length > 12 ? ` and ${networks.length - 12} more` : ''}
      </dd>
      <dt>Requests</dt>
      <dd>
        <Link href={rowsPath(scope, { failures: [group] })} prefetch={false}>
          View {countText(rows)} {rows === 1 ? 'request' : 'requests'}
        </Link>
      </dd>
      <dt>Quiet</dt>
      <dd>
        <Acknowledge targets={[{ kind: 'failure', id: group }]} what={clipped(group, 120)} />
      </dd>
    </dl>
  );
}
