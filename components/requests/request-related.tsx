'use client';
import Link from 'next/link';
import { type ReactNode, useMemo } from 'react';
import type { Network } from '@/lib/core/network';
import { countOf } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { useNetworksOf } from '@/lib/requests/networks';
import { type FoundList, isSameRequest, type ListedRecord, type Related } from '@/lib/requests/one';
import { requestPath } from '@/lib/requests/request-address';
import { NetworksProvider, useNetwork } from './networks-context';
import classes from './request.module.css';
import { Moment, Section } from './request-parts';
import { StateBadge } from './state-badge';

const NONE: ListedRecord[] = [];

/** Neighbours by sequence, the requests of the same transaction, and the sender's newest. */
export function RelatedRequests({
  record,
  related,
  networks,
}: {
  record: ListedRecord;
  /** Undefined while they are looked up. */
  related: Related | undefined;
  networks: readonly Network[];
}) {
  const listed = useMemo(
    () => (related === undefined ? NONE : [...related.transaction.rows, ...related.sender.rows]),
    [related],
  );
  const known = useNetworksOf(networks, listed);
  if (related === undefined) {
    return (
      <Section title="Neighbours">
        <p className={classes.waiting}>Loading…</p>
      </Section>
    );
  }
  const { before, after, transaction, sender } = related;
  return (
    <NetworksProvider networks={known}>
      <Neighbours record={record} before={before} after={after} />
      {transaction.rows.some((row) => !isSameRequest(row, record)) ? (
        <List title="Same transaction" list={transaction} record={record} />
      ) : null}
      {sender.rows.some((row) => !isSameRequest(row, record)) ? (
        <List title="Same sender" list={sender} record={record} />
      ) : null}
    </NetworksProvider>
  );
}

/** The nearest sequences of the same network and provider, lowest first: a gap in the log is seen here. */
function Neighbours({ record, before, after }: { record: ListedRecord } & Pick<Related, 'before' | 'after'>) {
  const rows: ListedRecord[] = [...before.toReversed(), record, ...after];
  const lines = rows.flatMap((row, at) => {
    const lower = rows[at - 1];
    const missing = lower === undefined ? 0n : BigInt(row.sequence) - BigInt(lower.sequence) - 1n;
    const line = <RequestLine key={row.key} row={row} mark={row === record ? 'this' : undefined} />;
    return missing > 0n ? [<Gap key={`below ${row.key}`} missing={missing} />, line] : [line];
  });
  return (
    <Section title="Neighbours">
      {rows.length === 1 ? (
        <p className={classes.soft}>None on this network and provider.</p>
      ) : (
        <ol className={classes.lines}>{lines}</ol>
      )}
    </Section>
  );
}

function Gap({ missing }: { missing: bigint }) {
  return (
    <li className={classes.gap} title="Not in the log of this keeper">
      {countOf(missing.toString(), 'sequence', 'sequences')} not logged
    </li>
  );
}

function List({ title, list, record }: { title: string; list: FoundList; record: ListedRecord }) {
  const { rows, total } = list;
  const count = countOf(total, 'request', 'requests');
  const shown = BigInt(total) > BigInt(rows.length) ? `Newest ${rows.length} of ${count}` : count;
  return (
    <Section title={title} beside={<span className={classes.faint}>{shown}</span>}>
      <ul className={classes.lines}>
        {rows.map((row) => (
          <RequestLine
            key={row.key}
            row={row}
            mark={isSameRequest(row, record) ? 'this' : undefined}
            network={row.networkId === record.networkId ? 'same' : 'other'}
          />
        ))}
      </ul>
    </Section>
  );
}

/** A request in one line, with a link to its page. `this`: the one that is shown. */
export function RequestLine({
  row,
  mark,
  network: place = 'same',
  children,
}: {
  row: ListedRecord;
  mark: 'this' | undefined;
  /** `other` than that of the request it stands beside: it is named. */
  network?: 'same' | 'other';
  /** What tells it from others of its sequence. */
  children?: ReactNode;
}) {
  const network = useNetwork(row.networkId);
  return (
    <li className={classes.line} data-mark={mark}>
      <Link href={requestPath(row)} prefetch={false} className="num" aria-current={mark ? 'true' : undefined}>
        {clipped(row.sequence, 40)}
      </Link>
      {place === 'same' ? null : (
        <bdi className={classes.lineNetwork}>
          {network.known ? clipped(network.name, 60) : `Network ${row.networkId}`}
        </bdi>
      )}
      <StateBadge state={row.state} />
      <span className={classes.lineTime}>
        <Moment time={row.createdAt} />
      </span>
      {children}
    </li>
  );
}
