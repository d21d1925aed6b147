'use client';
import type { Route } from 'next';
import Link from 'next/link';
import { memo } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { clipped, shortened } from '@/lib/client/foreign-text';
import { lookupUrl } from '@/lib/client/symbol-view';
import { feedPagePath } from '@/lib/contract/codec/feed-page-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { AddToBoard } from './add-to-board';
import classes from './symbol-table.module.css';
import { NOT_TOLD } from './symbol-tools';

/** What tells a symbol from all others: its ids at both services. */
export function symbolKey({ routerId, feedId }: FeedSymbol): string {
  return `${routerId ?? ''}/${feedId ?? ''}`;
}

/** Names are a few words; a service may send a megabyte. */
const LONGEST_NAME = 80;

const NOTHING = <span className={classes.nothing}>{NOT_TOLD}</span>;

/** One feed: its names, what the router says of it, both its ids, and where it can be taken. */
export const SymbolRow = memo(function SymbolRow({
  feed,
  index,
  standing,
  measure,
  onToggle,
}: {
  feed: FeedSymbol;
  /** From 0, among the rows that are shown. */
  index: number;
  standing: 'ticked' | 'offered';
  measure: (row: HTMLTableRowElement | null) => void;
  onToggle: (feed: FeedSymbol) => void;
}) {
  const symbol = clipped(feed.symbol, LONGEST_NAME);
  return (
    <tr
      ref={measure}
      data-index={index}
      data-ticked={standing === 'ticked' ? 'yes' : undefined}
      className={classes.row}
      aria-rowindex={index + 2}
    >
      <td className={classes.tick}>
        <input
          type="checkbox"
          aria-label={`Tick ${symbol}`}
          checked={standing === 'ticked'}
          onChange={() => onToggle(feed)}
        />
      </td>
      <th scope="row" className={classes.names}>
        <bdi className={classes.symbol}>{symbol}</bdi>
        <bdi className={classes.description}>{clipped(feed.description || feed.name, LONGEST_NAME)}</bdi>
      </th>
      <td data-column="class">{told(feed.assetType)}</td>
      <td data-column="state" data-state={feed.state}>
        {told(feed.state)}
      </td>
      <td data-column="channel">{told(feed.minChannel)}</td>
      <td data-column="router">
        <Id id={feed.routerId} what={`router id of ${symbol}`} service="The router" />
      </td>
      <td data-column="feed">
        <Id id={feed.feedId} what={`feed id of ${symbol}`} service="The price update service" />
      </td>
      <td data-column="ways">
        <Ways feed={feed} symbol={symbol} />
      </td>
    </tr>
  );
});

function told(text: string | undefined) {
  return text === undefined || text === '' ? NOTHING : <bdi>{clipped(text, 24)}</bdi>;
}

/** @param service that would know it, as a sentence begins */
function Id({ id, what, service }: { id: string | undefined; what: string; service: string }) {
  if (id === undefined)
    return (
      <span className={classes.nothing} title={`${service} does not list it`}>
        none
      </span>
    );
  const isLong = id.length > 16;
  return (
    <span className={classes.id}>
      <code title={isLong ? id : undefined}>{isLong ? shortened(`0x${id}`) : id}</code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </span>
  );
}

function Ways({ feed, symbol }: { feed: FeedSymbol; symbol: string }) {
  return (
    <span className={classes.links}>
      <Link href={lookupUrl([feed])} aria-label={`Look up ${symbol}`} prefetch={false}>
        Look up
      </Link>
      {feed.feedId === undefined ? null : (
        <>
          <Link
            href={feedPagePath(feed.feedId) as Route}
            aria-label={`Open the chart of ${symbol}`}
            prefetch={false}
          >
            Chart
          </Link>
          <AddToBoard symbols={[feed]} of={symbol} />
        </>
      )}
    </span>
  );
}
