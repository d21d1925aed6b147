'use client';
import { SimpleGrid, Table, Text } from '@mantine/core';
import Link from 'next/link';
import { CopyButton } from '@/components/ui/copy-button';
import { useMomentText } from '@/components/ui/time-style';
import { clipped, shortened } from '@/lib/core/text';
import type { SenderInsight } from '@/lib/insights/answer';
import { countText, lengthText, shareText } from '@/lib/insights/format';
import { rowsPath, type Scope } from '@/lib/insights/links';
import classes from './overview.module.css';
import { Panel } from './panel';
import { useInsights } from './use-insights';

const ROW_PX = 33;
const LISTED = 10;
const COLUMNS = ['Sender', 'Requests', 'Failed', 'Rate', 'p95', 'Gas used', 'Last seen'];

/** The contracts that matter: those with most failures, and those with most requests. */
export function Senders() {
  const state = useInsights('senders');
  const { shown } = state;
  const { byFailures = [], byRequests = [], count = 0 } = shown?.senders ?? {};
  return (
    <Panel
      title="Senders"
      state={state}
      height={ROW_PX * (2 + LISTED)}
      empty={count === 0 ? 'No senders in this span' : undefined}
      beside={
        <Text span size="sm" c="dimmed" className="num">
          {countText(count)} in all
        </Text>
      }
    >
      {shown === undefined ? null : (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <List title="Most failures" senders={byFailures} scope={shown} />
          <List title="Most requests" senders={byRequests} scope={shown} />
        </SimpleGrid>
      )}
    </Panel>
  );
}

const failures = ({ failed, callbackFailed }: SenderInsight) => failed + callbackFailed;

function List({ title, senders, scope }: { title: string; senders: readonly SenderInsight[]; scope: Scope }) {
  const moment = useMomentText();
  return (
    <div>
      <h3 className={classes.subtitle}>{title}</h3>
      {senders.length === 0 ? (
        <Text c="dimmed">None</Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
        <section className={classes.scroller} aria-label={`${title}, scrollable`} tabIndex={0}>
          <Table
            className={`${classes.table} ${classes.right} num`}
            aria-label={title}
            style={{ minWidth: '36rem' }}
          >
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
              {senders.map((sender) => (
                <Row
                  key={sender.sender}
                  sender={sender}
                  scope={scope}
                  seen={moment(Math.floor(sender.lastUs / 1000))}
                />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </div>
  );
}

function Row({
  sender,
  scope,
  seen,
}: {
  sender: SenderInsight;
  scope: Scope;
  seen: { text: string; title: string };
}) {
  const { sender: address, requests, completed, callbackFailed, failed, p95Us, p50GasShare } = sender;
  const finished = completed + callbackFailed + failed;
  const of = { senders: [address] };
  const count = failures(sender);
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.sender}>
        <Link href={rowsPath(scope, of)} prefetch={false} title={clipped(address, 100)}>
          <bdi className="mono">{shortened(address)}</bdi>
        </Link>
        <CopyButton value={address} label={`Copy sender ${shortened(address)}`} />
      </Table.Th>
      <Table.Td>{countText(requests)}</Table.Td>
      <Table.Td>
        {count === 0 ? (
          '0'
        ) : (
          <Link href={rowsPath(scope, { ...of, states: ['callback-failed', 'failed'] })} prefetch={false}>
            {countText(count)}
          </Link>
        )}
      </Table.Td>
      <Table.Td>{finished === 0 ? '–' : shareText(count / finished)}</Table.Td>
      <Table.Td>{p95Us === null ? '–' : lengthText(p95Us)}</Table.Td>
      <Table.Td title="p50 of the gas limit">{p50GasShare === null ? '–' : shareText(p50GasShare)}</Table.Td>
      <Table.Td title={seen.title}>{seen.text}</Table.Td>
    </Table.Tr>
  );
}
