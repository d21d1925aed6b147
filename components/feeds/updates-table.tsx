'use client';
import Link from 'next/link';
import { useState } from 'react';
import { type TimeStyle, useTimeStyle } from '@/components/ui/time-style';
import { parseFeedId } from '@/lib/core/feed';
import { inspectLink } from '@/lib/core/payload-link';
import { formatIsoSeconds, secondsToMillis, unixMillis, unixSeconds } from '@/lib/core/time';
import { clockWords, shownMoment } from '@/lib/core/time-text';
import { tickOf } from '@/lib/feeds/client/history';
import type { PageDrawing } from '@/lib/feeds/client/page-chart';
import { type FeedRow, feedRows } from '@/lib/feeds/client/update-rows';
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
  const at = chosen < feeds.length ? chosen : 0;
  const feed = feeds[at];
  const inside = (feed?.seen ?? []).filter(({ atMs }) => atMs >= fromMs);
  const rows = feedRows(inside.slice(-MOST_ROWS - 1).map(tickOf), feed?.gaps ?? [], MOST_ROWS);
  return (
    <section className={classes.section} aria-label="Updates in the chart">
      <header className={classes.tableHead}>
        <h2>Updates in the chart</h2>
        <span className={classes.none}>
          {inside.length > MOST_ROWS ? `the last ${MOST_ROWS} of ${inside.length}` : inside.length}
        </span>
        {feeds.length < 2 ? null : (
          <select
            aria-label="Feed of the table"
            value={at}
            onChange={(event) => choose(Number(event.currentTarget.value))}
          >
            {feeds.map(({ id, symbol }, index) => (
              <option key={id} value={index}>
                {symbol}
              </option>
            ))}
          </select>
        )}
      </header>
      <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
        <table className={classes.table} aria-label={`Updates of ${feed?.symbol ?? ''}`}>
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
              <UpdateRow key={row.key} row={row} id={feed?.id ?? ''} times={times} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function UpdateRow({ row, id, times }: { row: FeedRow; id: string; times: TimeStyle }) {
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
        ±{row.conf} <span className={classes.none}>{row.confBps ?? ''}</span>
      </td>
      <td>{row.ema ?? ''}</td>
      <td>
        <InspectLink id={id} publishS={row.publishS} />
      </td>
    </tr>
  );
}

/** Where the payload is taken apart. It is asked for anew, so of several updates in a second it is the first. */
function InspectLink({ id, publishS }: { id: string; publishS: number }) {
  const at = unixSeconds(publishS);
  const feedId = parseFeedId(id);
  if (feedId === undefined || at === undefined) return null;
  return (
    <Link
      href={inspectLink('updates', at, [feedId])}
      prefetch={false}
      title="Inspect the payload of the first update of this second"
    >
      Inspect<span className="sr-only"> payload of {formatIsoSeconds(secondsToMillis(at))}</span>
    </Link>
  );
}
