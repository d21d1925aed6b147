'use client';
import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { useTimeStyle } from '@/components/ui/time-style';
import { parseFeedId } from '@/lib/core/feed';
import { inspectLink } from '@/lib/core/payload-link';
import { formatIsoSeconds, formatLatency, formatSpan, unixSeconds } from '@/lib/core/time';
import { clockStyle, momentHeader, momentInColumn, shownMoment, type TimeStyle } from '@/lib/core/time-text';
import { exactText } from '@/lib/feeds/client/history';
import { ageAtServerMs, latencyParts } from '@/lib/feeds/client/latency';
import type { PageDrawing } from '@/lib/feeds/client/page-drawing';
import { confidenceInBps, feedRows, type UpdateRow } from '@/lib/feeds/client/update-rows';
import { gapText } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import classes from './page.module.css';

const MAX_ROWS = 50;

/** Newest first, with the gaps. This is the accessible form of the chart. */
export const UpdatesTable = memo(function UpdatesTable({ drawing: latest }: { drawing: PageDrawing }) {
  const times = useTimeStyle();
  const [chosen, choose] = useState(0);
  // Rows do not move while the pointer is on the table, because somebody may be about to press one.
  const [pinned, pin] = useState<PageDrawing>();
  const drawing = pinned ?? latest;
  const { feeds, fromMs } = drawing;
  const feed = feeds[chosen] ?? feeds[0];
  const inside = (feed?.seen ?? []).filter(({ atMs }) => atMs >= fromMs);
  const updates = inside.slice(-MAX_ROWS - 1).map(({ update }) => update);
  const rows = feed === undefined ? [] : feedRows(updates, feed, MAX_ROWS);
  const id = feed?.id ?? '';
  const columns = useMemo(() => columnsOf(id, times), [id, times]);
  const backfilled = <Muted size="xs">Backfilled, every {formatSpan(drawing.sampledEveryS * 1000)}</Muted>;
  return (
    <Stack
      component="section"
      gap="xs"
      aria-label="Updates in the chart"
      onPointerEnter={() => pin(latest)}
      onPointerLeave={() => pin(undefined)}
    >
      <Group component="header" gap="xs">
        <Title order={2}>Updates in the chart</Title>
        <Muted>
          {inside.length > MAX_ROWS ? `the last ${MAX_ROWS} of ${inside.length}` : inside.length}
          {pinned && ', paused while the pointer is here'}
        </Muted>
        {feeds.length < 2 ? null : (
          <NativeSelect
            aria-label="Feed of the table"
            value={feed?.feedIndex}
            data={feeds.map(({ symbol, feedIndex }) => ({ value: String(feedIndex), label: symbol }))}
            onChange={(event) => choose(Number(event.currentTarget.value))}
          />
        )}
      </Group>
      <DataTable
        label={`Updates of ${feed?.symbol ?? ''}`}
        // Whole rows and the frame: the last row in sight is not cut.
        mah="calc(round(down, var(--updates-height) - 2px, var(--row)) + 2px)"
        verticalSpacing={2}
        className={classes.updates}
        columns={columns}
        rows={rows}
        rowProps={({ gap, isStep }, at) => ({
          key: String(at),
          'data-gap': gap?.kind,
          'data-step': isStep && '',
        })}
        whole={({ gap, isStep }) => (isStep ? backfilled : gap && gapText(gap))}
      />
      {rows.length === 0 && <Muted>No update in this window.</Muted>}
    </Stack>
  );
});

/** Pads a right-aligned figure with spaces as wide as a digit, so that changing digits move nothing. */
const filled = (text: string, length: number) => text.padStart(length, '\u2007');

const signOf = (move: string) => (move.startsWith('-') ? 'down' : move.startsWith('+') ? 'up' : undefined);

function columnsOf(id: string, times: TimeStyle): Column<UpdateRow>[] {
  const feedId = parseFeedId(id);
  const clock = clockStyle(times);
  const published = momentHeader('Time', clock.zone);
  const column = (
    name: string,
    cell: (update: PriceUpdate, row: UpdateRow) => ReactNode,
  ): Column<UpdateRow> => ({
    name,
    kind: name === published ? 'head' : 'figure',
    cell: (row) => row.update && cell(row.update, row),
  });
  return [
    column(published, ({ publishTimeS }) => {
      const atMs = publishTimeS * 1000;
      const title = shownMoment(atMs, { ...times, zone: 'utc' }, atMs);
      return (
        <time dateTime={formatIsoSeconds(atMs)} title={title}>
          {momentInColumn(atMs, clock, Date.now())}
        </time>
      );
    }),
    column('Price', (update) => exactText(update.price)),
    column(
      'Change',
      (_, { move }) => move && <span data-move={signOf(move)}>{filled(move.replace('-', '−'), 8)}</span>,
    ),
    // Publish times are whole seconds, so only the first update of a second has a latency.
    column('Latency', (_, { latency }) =>
      latency?.isFirstOfSecond !== true ? null : (
        <span title={latencyParts(latency)}>{filled(formatLatency(ageAtServerMs(latency)), 6)}</span>
      ),
    ),
    column('Payload', ({ publishTimeS }) => {
      const second = unixSeconds(publishTimeS);
      return second === undefined || feedId === undefined ? null : (
        // The service is queried by second, and returns the first update of that second.
        <Link
          href={inspectLink('updates', second, [feedId])}
          title="Inspect the payload of the first update of this second"
        >
          Inspect<span className="sr-only"> payload of {formatIsoSeconds(publishTimeS * 1000)}</span>
        </Link>
      );
    }),
    column('Confidence', (update) => (
      <>
        ±{exactText(update.conf)}{' '}
        <Text component="span" inherit c="dimmed">
          {confidenceInBps(update)}
        </Text>
      </>
    )),
    column('EMA', ({ ema }) => ema && exactText(ema)),
  ];
}
