'use client';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { formatDuration, formatSpan } from '@/lib/client/human-time';
import type { SilenceRow } from '@/lib/domain/diagnosis/silence-table';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { Age } from './age';
import { MomentWords, NetworkName, usePendingPlace } from './pending-context';
import classes from './silence-table.module.css';

/** Every network by its own rhythm: those gone quiet first. */
export function SilenceTable({ rows }: { rows: readonly SilenceRow[] }) {
  const { several } = usePendingPlace();
  return (
    <section className={classes.scroller} aria-label="Networks, scrollable">
      <table className={classes.table}>
        <caption className="sr-only">Networks and how quiet they are</caption>
        <thead>
          <tr>
            <th scope="col">Network</th>
            {several === 'yes' ? <th scope="col">Keeper</th> : null}
            <th scope="col">Last request</th>
            <th scope="col" className={classes.figure}>
              Usual gap
            </th>
            <th scope="col" className={classes.figure}>
              Pending
            </th>
            <th scope="col" className={classes.figure}>
              Stuck
            </th>
            <th scope="col" className={classes.figure}>
              Failed, last hour
            </th>
            <th scope="col" className={classes.figure}>
              Median
            </th>
            <th scope="col" className={classes.figure}>
              95th percentile
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <NetworkRow key={`${row.keeper}/${row.networkId}`} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function NetworkRow({ row }: { row: SilenceRow }) {
  const { several } = usePendingPlace();
  const { keeper, networkId, quiet, lastHour, missing } = row;
  const isQuiet = quiet.holds === 'yes';
  const why = missing.length === 0 ? undefined : clipped(missing.join('\n'), 400);
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : formatDuration(ms));
  // Nothing finished within the hour is no gap in what is known.
  const none = lastHour === undefined ? undefined : 'none';
  return (
    <tr data-network={networkId} data-keeper={keeper} data-quiet={isQuiet ? 'yes' : 'no'}>
      <th scope="row">
        <Link href={rowsOf(keeper, networkId)} prefetch={false}>
          <NetworkName networkId={networkId} />
        </Link>
        {isQuiet ? (
          <span className={classes.quiet} title={quiet.headline}>
            <Icon name="alert" size={13} /> Gone quiet
          </span>
        ) : null}
      </th>
      {several === 'yes' ? <td>{keeper}</td> : null}
      <td>
        <Known why={why}>
          {row.lastRequestMs === undefined ? undefined : <Last ms={row.lastRequestMs} />}
        </Known>
      </td>
      <Figure why={why}>{row.usualGapMs === undefined ? undefined : gapWords(row.usualGapMs)}</Figure>
      <Figure why={why}>{countText(row.pending)}</Figure>
      <Figure why={why} tone={row.stuck ? 'bad' : undefined}>
        {countText(row.stuck)}
      </Figure>
      <Figure why={why} tone={lastHour?.failed ? 'bad' : undefined}>
        {lastHour === undefined ? undefined : failedWords(lastHour)}
      </Figure>
      <Figure why={why}>{duration(lastHour?.medianMs) ?? none}</Figure>
      <Figure why={why}>{duration(lastHour?.p95Ms) ?? none}</Figure>
    </tr>
  );
}

function Last({ ms }: { ms: number }) {
  return (
    <>
      <Age sinceMs={ms} /> ago{' '}
      <span className={classes.moment}>
        (<MomentWords ms={ms} />)
      </span>
    </>
  );
}

function gapWords(ms: number): string {
  return ms < 10_000 ? formatDuration(ms) : formatSpan(ms);
}

function countText(count: number | undefined): string | undefined {
  return count === undefined ? undefined : groupDigits(String(count));
}

/** `2 of 140`; said where the rows that were looked at don't reach back an hour. */
function failedWords({ failed, finished, extent }: NonNullable<SilenceRow['lastHour']>): string {
  if (finished === 0 && extent === 'whole') return 'none finished';
  const words = `${groupDigits(String(failed))} of ${groupDigits(String(finished))}`;
  return extent === 'whole' ? words : `${words} looked at`;
}

function Figure({
  why,
  tone,
  children,
}: {
  why: string | undefined;
  tone?: 'bad' | undefined;
  children: ReactNode;
}) {
  return (
    <td className={`${classes.figure} num`} data-tone={tone}>
      <Known why={why}>{children}</Known>
    </td>
  );
}

/** A value, or that it is not known and why. */
function Known({ why, children }: { why: string | undefined; children: ReactNode }) {
  if (children !== undefined) return children;
  return (
    <span className={classes.unknown} title={why}>
      <span aria-hidden="true">—</span>
      <span className="sr-only">{why === undefined ? 'none' : 'not known'}</span>
    </span>
  );
}

function rowsOf(keeper: string, networkId: string) {
  return formatRequestsUrl({ ...defaultRequestsView(), networks: [networkId], keepers: [keeper] });
}
