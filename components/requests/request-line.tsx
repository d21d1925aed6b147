'use client';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { ListedRecord } from '@/lib/client/related-requests';
import { requestPath } from '@/lib/requests/request-address';
import { useNetwork } from './networks-context';
import classes from './request-content.module.css';
import { Moment } from './request-field';
import { StateBadge } from './state-badge';

/** Another request in one line, with a link to its page; `mark` says what it is to the one that is shown. */
export function RequestLine({
  row,
  mark,
  children,
}: {
  row: ListedRecord;
  mark?: string;
  /** What tells it from others of its number. */
  children?: ReactNode;
}) {
  const network = useNetwork(row.networkId);
  return (
    <li className={classes.line} data-mark={mark}>
      {/* Its page asks the service: that has to wait until somebody wants it. */}
      <Link href={requestPath(row)} prefetch={false} className="num" aria-current={mark ? 'true' : undefined}>
        {clipped(groupDigitsBriefly(row.sequence), 40)}
      </Link>
      <bdi className={classes.lineNetwork}>
        {network.known ? clipped(network.name, 60) : `Network ${row.networkId}`}
      </bdi>
      <StateBadge state={row.state} />
      <span className={classes.lineTime}>
        {mark === undefined ? <Moment time={row.createdAt} /> : <em>{mark}</em>}
      </span>
      {children}
    </li>
  );
}
