'use client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '@/lib/client/ask-again';
import { explainFailure } from '@/lib/client/explain-failure';
import { countOf } from '@/lib/client/human-number';
import { useNetworksOf } from '@/lib/client/networks';
import {
  isSameHex,
  type ListedRecord,
  type RelatedRequests,
  requestsOfSender,
  requestsOfTransaction,
} from '@/lib/client/related-requests';
import type { Network } from '@/lib/domain/network';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { NetworksProvider } from './networks-context';
import { askGateway } from './request-asking';
import classes from './request-content.module.css';
import { RequestLine } from './request-line';
import { Section } from './request-section';
import { OnceSeen } from './request-seen';

type Ask = (signal: AbortSignal) => Promise<Outcome<RelatedRequests>>;

const WAITING = <p className={classes.soft}>Looking…</p>;

/**
 * The requests of the same transaction and of the same sender, each asked for when it is nearly in sight. The longer list
 * stands last, so that it moves nothing when it comes.
 */
export function RelatedSections({
  record,
  networks,
}: {
  record: ListedRecord;
  networks: readonly Network[];
}) {
  const { sender, requestTxHash, keeper } = record;
  return (
    <>
      <RelatedSection
        title="Same transaction"
        missing={requestTxHash === undefined ? 'The service sent no request transaction.' : undefined}
        id={`${keeper}/transaction/${requestTxHash}`}
        ask={(signal) => requestsOfTransaction(requestTxHash ?? '', keeper, askGateway, signal)}
        counted="made or revealed in this transaction"
        record={record}
        networks={networks}
      />
      <RelatedSection
        title="Same sender"
        missing={sender === undefined ? 'The service sent no sender.' : undefined}
        id={`${keeper}/sender/${sender}`}
        ask={(signal) => requestsOfSender(sender ?? '', keeper, askGateway, signal)}
        counted="of this sender on all networks of the keeper"
        record={record}
        networks={networks}
      />
    </>
  );
}

type Props = {
  /** Names the question for the cache. */
  id: string;
  ask: Ask;
  /** What the count counts, after `10 of 1,234 requests`. */
  counted: string;
  record: ListedRecord;
  networks: readonly Network[];
};

function RelatedSection({
  title,
  missing,
  ...list
}: Props & { title: string /** Why there is nothing to ask for. */; missing: string | undefined }) {
  return (
    <Section title={title}>
      {missing === undefined ? (
        <OnceSeen before={WAITING}>
          <RelatedList {...list} />
        </OnceSeen>
      ) : (
        <p className={classes.soft}>{missing}</p>
      )}
    </Section>
  );
}

const NO_ROWS: ListedRecord[] = [];

function RelatedList({ id, ask, counted, record, networks }: Props) {
  const { data, refetch } = useQuery({
    queryKey: ['related', id],
    queryFn: ({ signal }) => ask(signal),
  });
  const known = useNetworksOf(networks, data?.ok ? data.value.rows : NO_ROWS);
  if (data === undefined) return WAITING;
  if (!data.ok) return <RelatedTrouble failure={data.failure} onRetry={() => askAgain(refetch)} />;
  const { rows, total } = data.value;
  if (rows.every((row) => isSameRequest(row, record))) {
    return <p className={classes.soft}>No other request {counted}.</p>;
  }
  return (
    <NetworksProvider networks={known}>
      <p className={classes.soft}>{countWords(rows.length, total, counted)}</p>
      <ul className={classes.lines}>
        {rows.map((row) => (
          <RequestLine key={row.key} row={row} mark={isSameRequest(row, record) ? 'this one' : undefined} />
        ))}
      </ul>
    </NetworksProvider>
  );
}

function isSameRequest(a: ListedRecord, b: ListedRecord): boolean {
  return (
    a.networkId === b.networkId &&
    a.sequence === b.sequence &&
    isSameHex(a.provider, b.provider) &&
    isSameHex(a.requestTxHash, b.requestTxHash)
  );
}

/** `The newest 10 of 1,234 requests of this sender …`; `3 requests …` where those are all. */
function countWords(shown: number, total: string | undefined, counted: string): ReactNode {
  const all = total !== undefined && /^\d{1,78}$/.test(total) ? total : undefined;
  if (all === undefined || BigInt(all) <= BigInt(shown)) {
    return `${countOf(String(shown), 'request', 'requests')} ${counted}.`;
  }
  return `The newest ${shown} of ${countOf(all, 'request', 'requests')} ${counted}.`;
}

/** Why a list is not there, and a way to ask again. */
export function RelatedTrouble({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const { title, todo } = explainFailure(failure);
  return (
    <p className={classes.trouble}>
      <span>
        {title}. {todo}
      </span>{' '}
      <button type="button" className={classes.textButton} onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
