'use client';
import { useQuery } from '@tanstack/react-query';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { formatAge, formatDuration } from '@/lib/client/human-time';
import type { ListedRecord } from '@/lib/client/related-requests';
import {
  placeAmongUsual,
  placeWords,
  type Usual,
  type UsualDuration,
  usualDuration,
  usualWords,
} from '@/lib/client/request-facts';
import type { Outcome } from '@/lib/domain/outcome';
import { requestDuration } from '@/lib/domain/request-record';

import { useNetwork } from './networks-context';
import { askGateway } from './request-asking';
import drawn from './request-bars.module.css';
import classes from './request-content.module.css';
import { Field, Fields, MomentField } from './request-field';
import { Missing } from './request-missing';
import { Section } from './request-section';
import { useTableClock } from './table-clock';

/** What is usual changes slowly. */
const FRESH_MS = 300_000;

type Length = ReturnType<typeof requestDuration>;

/** From creation to the last update, and how that compares with what is usual on the network. */
export function RequestTimeline({ record }: { record: ListedRecord }) {
  const isOver = record.state.kind === 'completed' || record.state.kind === 'failed';
  return (
    <Section title="Timeline">
      <Fields>
        <MomentField name="Created" time={record.createdAt} />
        <MomentField name="Last updated" time={record.updatedAt} />
      </Fields>
      {isOver ? <FinishedLength record={record} /> : <TickingLength record={record} />}
    </Section>
  );
}

function FinishedLength({ record }: { record: ListedRecord }) {
  return <Compared record={record} length={requestDuration(record, record.createdAt.ms)} />;
}

function TickingLength({ record }: { record: ListedRecord }) {
  const nowMs = useTableClock();
  return <Compared record={record} length={requestDuration(record, nowMs)} />;
}

function LengthText({ length }: { length: Length }) {
  if (length === undefined) return <Missing what="time of the last update" />;
  if (length.kind === 'age') return <span className="num">{formatAge(length.ms)}</span>;
  return (
    <span className="num">
      {formatDuration(length.ms)}
      <span className={classes.soft}> · {groupDigits(String(length.ms))} ms</span>
    </span>
  );
}

function Compared({ record, length }: { record: ListedRecord; length: Length }) {
  const network = useNetwork(record.networkId);
  const { networkId, keeper } = record;
  const { data } = useQuery({
    queryKey: ['usual-duration', keeper, networkId],
    queryFn: ({ signal }) => usualDuration(networkId, keeper, askGateway, signal),
    staleTime: FRESH_MS,
  });
  const known = data?.ok && data.value.kind === 'known' ? data.value.usual : undefined;
  return (
    <>
      <Fields>
        <Field name={length?.kind === 'age' ? 'Age' : 'Duration'}>
          <LengthText length={length} />
        </Field>
        <Field name="Usual">
          <span className={classes.usual}>
            <UsualText answer={data} length={length} network={clipped(network.name, 60)} />
          </span>
        </Field>
      </Fields>
      {known && length ? (
        <UsualBar ms={length.ms} usual={known} />
      ) : (
        <div className={drawn.usualBar} aria-hidden="true" />
      )}
    </>
  );
}

function UsualText({
  answer,
  length,
  network,
}: {
  answer: Outcome<Usual> | undefined;
  length: Length;
  network: string;
}) {
  if (answer === undefined) return 'Comparing with others…';
  if (!answer.ok) return `Not known: ${explainFailure(answer.failure).title}.`;
  if (answer.value.kind === 'few') {
    return `Not known: only ${answer.value.n} completed requests on ${network} to compare with.`;
  }
  const { usual } = answer.value;
  const place = length === undefined ? undefined : placeAmongUsual(length.ms, usual);
  return (
    <>
      {usualWords(usual, network)}.
      {place && length ? <span data-place={place}> {placeWords(place, length.kind)}</span> : null}
    </>
  );
}

/** This length among the usual ones: the band reaches to the 95th percentile, its line is the median. */
function UsualBar({ ms, usual }: { ms: number; usual: UsualDuration }) {
  const end = Math.max(usual.p95Ms * 1.25, ms, 1);
  const at = (value: number) => `${((value / end) * 100).toFixed(2)}%`;
  return (
    <div className={drawn.usualBar} aria-hidden="true">
      <div className={drawn.usualBand} style={{ width: at(usual.p95Ms) }} />
      <div className={drawn.usualMedian} style={{ insetInlineStart: at(usual.medianMs) }} />
      <div
        className={drawn.usualThis}
        data-place={placeAmongUsual(ms, usual)}
        style={{ insetInlineStart: at(ms) }}
      />
    </div>
  );
}
