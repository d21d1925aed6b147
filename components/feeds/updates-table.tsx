'use client';
import { Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import Link from 'next/link';
import { useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { parseFeedId } from '@/lib/core/feed';
import { inspectLink } from '@/lib/core/payload-link';
import { formatIsoSeconds, unixSeconds } from '@/lib/core/time';
import { clockWords, shownMoment, type TimeStyle } from '@/lib/core/time-text';
import type { PageDrawing } from '@/lib/feeds/client/chart';
import { type FeedRow, feedRows } from '@/lib/feeds/client/update-rows';
import { gapText } from '@/lib/feeds/feed-gaps';
import classes from './page.module.css';

/** Rows of the table; the CSV has all. */
const MOST_ROWS = 100;

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

/** The updates that the chart shows, newest first, with the gaps between them: the chart for those who can't see it. */
export function UpdatesTable({ drawing }: { drawing: PageDrawing }) {
  const times = useTimeStyle();
  const [chosen, choose] = useState(0);
  const { feeds, fromMs } = drawing;
  const feed = feeds[chosen] ?? feeds[0];
  const inside = (feed?.seen ?? []).filter(({ atMs }) => atMs >= fromMs);
  const updates = inside.slice(-MOST_ROWS - 1).map(({ update }) => update);
  const rows = feedRows(updates, feed?.gaps ?? [], MOST_ROWS);
  return (
    <Stack component="section" gap="xs" aria-label="Updates in the chart">
      <Group component="header" gap="xs">
        <Title order={2}>Updates in the chart</Title>
        <Text c="dimmed">
          {inside.length > MOST_ROWS ? `the last ${MOST_ROWS} of ${inside.length}` : inside.length}
        </Text>
        {feeds.length < 2 ? null : (
          <NativeSelect
            aria-label="Feed of the table"
            value={feed?.tone}
            data={feeds.map(({ symbol, tone }) => ({ value: String(tone), label: symbol }))}
            onChange={(event) => choose(Number(event.currentTarget.value))}
          />
        )}
      </Group>
      <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
        <Table
          stickyHeader
          verticalSpacing={3}
          className={classes.table}
          aria-label={`Updates of ${feed?.symbol ?? ''}`}
        >
          <Table.Thead>
            <Table.Tr>
              {['Published', 'Price', 'Change', 'Confidence', 'EMA', 'Payload'].map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <UpdateRow key={row.key} row={row} id={feed?.id ?? ''} times={times} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Stack>
  );
}

function UpdateRow({ row, id, times }: { row: FeedRow; id: string; times: TimeStyle }) {
  if (row.gap !== undefined) {
    const { kind } = row.gap;
    return (
      <Table.Tr data-gap={kind} bg={`var(--ks-${kind === 'missed' ? 'bad' : 'idle'}-wash)`}>
        <Table.Td colSpan={6}>{gapText(row.gap)}</Table.Td>
      </Table.Tr>
    );
  }
  const atMs = row.publishS * 1000;
  const iso = formatIsoSeconds(atMs);
  const [at, feedId] = [unixSeconds(row.publishS), parseFeedId(id)];
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <time dateTime={iso} title={shownMoment(atMs, { ...times, zone: 'utc' }, atMs)}>
          {clockWords(atMs, times)}
        </time>
      </Table.Th>
      <Table.Td>{row.price}</Table.Td>
      <Table.Td>{row.move}</Table.Td>
      <Table.Td>
        ±{row.conf}{' '}
        <Text component="span" inherit c="dimmed">
          {row.confBps}
        </Text>
      </Table.Td>
      <Table.Td>{row.ema}</Table.Td>
      <Table.Td>
        {at === undefined || feedId === undefined ? null : (
          // It is asked for anew, so of several updates in a second it is the first.
          <Link
            href={inspectLink('updates', at, [feedId])}
            prefetch={false}
            title="Inspect the payload of the first update of this second"
          >
            Inspect<span className="sr-only"> payload of {iso}</span>
          </Link>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
