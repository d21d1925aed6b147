'use client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '@/lib/client/ask-again';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import { type ListedRecord, neighbourNumbers, neighboursAt } from '@/lib/client/related-requests';
import { askGateway } from './request-asking';
import classes from './request-content.module.css';
import { RequestLine } from './request-line';
import { RelatedTrouble } from './request-related';
import { Section } from './request-section';
import { OnceSeen } from './request-seen';

/** The numbers just before and after, of the same network and provider: a gap in the log is seen here. */
export function RequestNeighbours({ record }: { record: ListedRecord }) {
  const numbers = neighbourNumbers(record.sequence);
  if (numbers.length === 0) return null;
  const isBefore = (number: string) => BigInt(number) < BigInt(record.sequence);
  const list = (line: (number: string) => ReactNode) => (
    <ol className={classes.lines}>
      {numbers.filter(isBefore).map(line)}
      <RequestLine row={record} mark="this one" />
      {numbers.filter((number) => !isBefore(number)).map(line)}
    </ol>
  );
  return (
    <Section title="Neighbours by sequence">
      <p className={classes.soft}>Of the same network and provider.</p>
      <OnceSeen before={list((number) => <NumberLine key={number} number={number} words="Looking…" />)}>
        {list((number) => (
          <Neighbour key={number} number={number} record={record} />
        ))}
      </OnceSeen>
    </Section>
  );
}

function Neighbour({ number, record }: { number: string; record: ListedRecord }) {
  const { keeper, networkId, provider } = record;
  const { data, refetch } = useQuery({
    queryKey: ['neighbour', keeper, networkId, provider, number],
    queryFn: ({ signal }) => neighboursAt(number, record, askGateway, signal),
  });
  if (data?.ok && data.value.rows.length > 0) {
    return data.value.rows.map((row) => <RequestLine key={row.key} row={row} />);
  }
  if (data?.ok !== false) {
    return <NumberLine number={number} words={data === undefined ? 'Looking…' : 'not in this log'} />;
  }
  return (
    <li className={classes.line}>
      <span className="num">{clipped(groupDigitsBriefly(number), 40)}</span>
      <RelatedTrouble failure={data.failure} onRetry={() => askAgain(refetch)} />
    </li>
  );
}

function NumberLine({ number, words }: { number: string; words: string }) {
  return (
    <li className={classes.line}>
      <span className="num">{clipped(groupDigitsBriefly(number), 40)}</span>
      <span className={classes.soft}>{words}</span>
    </li>
  );
}
