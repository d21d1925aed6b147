'use client';
import Link from 'next/link';
import { memo } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { clipped, shortened } from '@/lib/client/foreign-text';
import type { LookupFeed } from '@/lib/client/price-lookup';
import type { LookupRow } from '@/lib/client/price-lookup-rows';
import { rowVerdictText, VERDICT_WORDS } from '@/lib/client/price-lookup-words';
import { feedPagePath } from '@/lib/contract/codec/feed-page-url';
import { formatIsoMicros } from '@/lib/domain/unix-micros';
import { LookupCellView } from './lookup-cell';
import classes from './lookup-table.module.css';

/** One feed. */
export const LookupRowView = memo(
  function LookupRowView({ row }: { row: LookupRow }) {
    const { feed, at, compared, cells } = row;
    return (
      <tr data-verdict={compared?.verdict}>
        <th scope="row">
          <FeedName feed={feed} />
          {at === undefined ? null : <span className={classes.moment}>{formatIsoMicros(at)}</span>}
          {compared === undefined ? null : (
            <span className={classes.verdict} data-verdict={compared.verdict}>
              <Icon
                name={
                  compared.verdict === 'beyond'
                    ? 'alert'
                    : compared.verdict === 'untold'
                      ? 'question'
                      : 'check'
                }
                size={13}
              />
              {VERDICT_WORDS[compared.verdict]}
            </span>
          )}
          <span className={classes.why}>{rowVerdictText(row)}</span>
        </th>
        {cells.map(({ source, cell }) => (
          <td key={source} data-source={source}>
            <LookupCellView row={row} source={source} cell={cell} />
          </td>
        ))}
      </tr>
    );
  },
  (before, after) => before.row.at === after.row.at && hasSameCells(before.row, after.row),
);

/** Cells are never changed, only replaced: so a row of the same cells is the same picture. */
function hasSameCells(a: LookupRow, b: LookupRow): boolean {
  return (
    a.feed === b.feed &&
    a.cells.length === b.cells.length &&
    a.cells.every(({ source, cell }, at) => b.cells[at]?.source === source && b.cells[at]?.cell === cell)
  );
}

function FeedName({ feed }: { feed: LookupFeed }) {
  const { symbol, feedId, routerId } = feed;
  const name = <bdi>{clipped(symbol.length === 64 ? shortened(`0x${symbol}`) : symbol, 60)}</bdi>;
  return (
    <>
      <span className={classes.symbol}>
        {feedId === undefined ? name : <Link href={feedPagePath(feedId)}>{name}</Link>}
      </span>
      <span className={classes.ids}>
        {feedId === undefined ? null : (
          <span>
            <code>{shortened(`0x${feedId}`)}</code>
            <CopyButton value={feedId} label={`Copy the feed id of ${clipped(symbol, 40)}`} />
          </span>
        )}
        {routerId === undefined ? null : (
          <span>
            router <code>{clipped(routerId, 20)}</code>
          </span>
        )}
      </span>
    </>
  );
}
