'use client';
import Link from 'next/link';
import { CopyButton } from '@/components/ui/copy-button';
import { shortened } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { explorerTxUrl } from '@/lib/domain/network';
import { requestPath } from '@/lib/requests/request-address';
import { Age } from './age';
import { MomentWords, usePendingPlace } from './pending-context';
import classes from './request-line.module.css';

/** A pending request in one line: its page, how old, whose, and its transaction. */
export function RequestLine({ row }: { row: ListedRow }) {
  if (row.kind === 'unreadable') return <span className={classes.line}>A row that can’t be read</span>;
  const { sequence, createdAt, sender, requestTxHash } = row;
  return (
    <span className={classes.line}>
      <Link href={requestPath(row)} prefetch={false} className={`${classes.number} num`}>
        {groupDigitsBriefly(sequence)}
      </Link>
      <span className={classes.age}>
        <Age sinceMs={createdAt.ms} />
      </span>
      <span className={classes.created}>
        <MomentWords ms={createdAt.ms} />
      </span>
      <Hex name="Sender" value={sender} />
      <Transaction networkId={row.networkId} hash={requestTxHash} />
    </span>
  );
}

function Hex({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return <span className={classes.hex}>no {name.toLowerCase()}</span>;
  return (
    <span className={classes.hex}>
      <span className={classes.name}>{name}</span>
      <bdi className="mono" title={value}>
        {shortened(value)}
      </bdi>
      <CopyButton value={value} label={`Copy ${name.toLowerCase()}`} />
    </span>
  );
}

function Transaction({ networkId, hash }: { networkId: string; hash: string | undefined }) {
  const { network } = usePendingPlace();
  const address = explorerTxUrl(network(networkId), hash);
  if (hash === undefined || address === undefined) return <Hex name="Transaction" value={hash} />;
  return (
    <span className={classes.hex}>
      <span className={classes.name}>Transaction</span>
      <a
        className="mono"
        href={address}
        target="_blank"
        rel="noreferrer noopener"
        aria-label={`Transaction ${shortened(hash)} in the block explorer`}
        title={`${hash}\nOpens in the block explorer`}
      >
        {shortened(hash)}
      </a>
      <CopyButton value={hash} label="Copy transaction" />
    </span>
  );
}
