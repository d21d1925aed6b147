'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { FeedName } from '@/lib/client/feed-directory';
import { type FeedRow, feedRows } from '@/lib/client/feed-rows';
import { ticksOf } from '@/lib/client/feed-ticks';
import { clockWords, shownMoment } from '@/lib/client/moment-text';
import { type TimeStyle, useTimeStyle } from '@/lib/client/time-style';
import { inspectLink } from '@/lib/contract/codec/payload-link';
import type { FeedId } from '@/lib/domain/feed';
import { formatIsoSeconds, secondsToMillis, unixMillis, unixSeconds } from '@/lib/domain/units';
import type { PageDrawing } from './page-drawing';
import classes from './updates-table.module.css';

/** Rows of the table; the CSV has all. */
const MOST_ROWS = 100;

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

/** The updates that the chart shows, newest first, with the gaps between them: the chart for those who can't see it. */
export function UpdatesTable({ feeds, drawing }: { feeds: readonly FeedName[]; drawing: PageDrawing }) {
  const times = useTimeStyle();
  const [chosen, choose] = useState(0);
  const at = chosen < feeds.length ? chosen : 0;
  const inside = (drawing.seen[at] ?? []).filter(({ atMs }) => atMs >= drawing.frame.fromMs);
  const gaps = drawing.gaps[at] ?? [];
  const rows = feedRows(ticksOf(inside.slice(-MOST_ROWS - 1)), gaps, MOST_ROWS);
  return (
    <section className={classes.section} aria-label="Updates in the chart">
      <header className={classes.head}>
        <h2>Updates in the chart</h2>
        <span className={classes.count}>
          {inside.length > MOST_ROWS ? `the last ${MOST_ROWS} of ${inside.length}` : inside.length}
        </span>
        {feeds.length < 2 ? null : (
          <select
            aria-label="Feed of the table"
            value={at}
            onChange={(event) => choose(Number(event.currentTarget.value))}
          >
            {feeds.map((feed, index) => (
              <option key={feed.id} value={index}>
                {feed.symbol}
              </option>
            ))}
          </select>
        )}
      </header>
      <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
        <table className={classes.table} aria-label={`Updates of ${feeds[at]?.symbol ?? ''}`}>
          <thead>
            <tr>
              <th scope="col">Published</th>
              <th scope="col">Price</th>
              <th scope="col">Change</th>
              <th scope="col">Confidence</th>
              <th scope="col">EMA</th>
              <th scope="col">Payload</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <UpdateRow key={row.key} row={row} id={feeds[at]?.id} times={times} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function UpdateRow({ row, id, times }: { row: FeedRow; id: FeedId | undefined; times: TimeStyle }) {
  if (row.kind === 'gap') {
    return (
      <tr data-gap={row.gap.kind}>
        <td colSpan={6} className={classes.gap}>
          {row.words}
        </td>
      </tr>
    );
  }
  const atMs = row.publishS * 1000;
  return (
    <tr>
      <th scope="row">
        <time
          dateTime={formatIsoSeconds(unixMillis(atMs))}
          title={shownMoment(atMs, { ...times, zone: 'utc' }, atMs)}
        >
          {clockWords(atMs, times)}
        </time>
      </th>
      <td>{row.price}</td>
      <td>{row.move ?? ''}</td>
      <td>
        ±{row.conf} <span className={classes.aside}>{row.confBps ?? ''}</span>
      </td>
      <td>{row.ema ?? ''}</td>
      <td>
        <InspectLink id={id} publishS={row.publishS} />
      </td>
    </tr>
  );
}

/** Where the payload is taken apart. It is asked for anew, so of several updates in a second it is the first. */
function InspectLink({ id, publishS }: { id: FeedId | undefined; publishS: number }) {
  const at = unixSeconds(publishS);
  if (id === undefined || at === undefined) return null;
  return (
    <Link
      href={inspectLink('updates', at, [id])}
      prefetch={false}
      title="Inspect the payload of the first update of this second"
    >
      Inspect<span className="sr-only"> payload of {formatIsoSeconds(secondsToMillis(at))}</span>
    </Link>
  );
}
