'use client';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { LookupCell, QuoteFact, SourceQuote } from '@/lib/client/price-lookup';
import { comparedWithBase, type LookupRow, publishDistance } from '@/lib/client/price-lookup-rows';
import { bpsText, combinedText, noPriceWords } from '@/lib/client/price-lookup-words';
import { useMomentText } from '@/lib/client/time-style';
import { inspectLink } from '@/lib/contract/codec/payload-link';
import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { formatScaled } from '@/lib/domain/scaled-number';
import { microsToMillis, type UnixMicros, unixMicros } from '@/lib/domain/units';
import { formatIsoMicros, microsToSeconds, signedSecondsText } from '@/lib/domain/unix-micros';
import classes from './lookup-cell.module.css';

/** What one source says of one feed, or why it says nothing. */
export function LookupCellView({
  row,
  source,
  cell,
}: {
  row: LookupRow;
  source: LookupSource;
  cell: LookupCell;
}) {
  if (cell.kind === 'waiting') {
    return (
      <span className={classes.waiting} data-kind="waiting">
        waiting
      </span>
    );
  }
  if (cell.kind === 'quote') return <Quote row={row} source={source} quote={cell.quote} />;
  const { title, text, said } = noPriceWords(cell, source);
  return (
    <div className={classes.none} data-kind={cell.kind}>
      <strong>{title}</strong> {text === '' ? null : <span>{text}</span>}{' '}
      {said === undefined ? null : (
        <>
          {cell.kind === 'unreadable' ? 'As sent: ' : 'It said: '}
          <q className={`${classes.said} foreign`}>{said}</q>
        </>
      )}
      {cell.kind === 'binary-only' ? <Inspect row={row} source={source} publishUs={cell.askedUs} /> : null}
    </div>
  );
}

function Quote({ row, source, quote }: { row: LookupRow; source: LookupSource; quote: SourceQuote }) {
  const { price, conf, ema, publishUs, facts } = quote;
  return (
    <div className={classes.quote}>
      <p className={classes.price}>
        <span data-figure="price" className="num">
          {price === undefined ? '—' : formatScaled(price)}
        </span>
        <Difference row={row} source={source} />
      </p>
      <dl className={classes.figures}>
        {conf === undefined ? null : <Figure name="Confidence">±{formatScaled(conf)}</Figure>}
        {ema === undefined ? null : (
          <Figure name="EMA">
            {formatScaled(ema.price)}
            {ema.conf === undefined ? null : (
              <span className={classes.aside}> ±{formatScaled(ema.conf)}</span>
            )}
          </Figure>
        )}
        {publishUs === undefined ? null : (
          <Figure name="Published">
            <Moment us={publishUs} /> <Distance quote={quote} />
          </Figure>
        )}
        {facts.map((fact) => (
          <Fact key={fact.name} fact={fact} />
        ))}
      </dl>
      <Inspect row={row} source={source} publishUs={publishUs} />
    </div>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

/** The difference from the first column with a price, and what it is held against. */
function Difference({ row, source }: { row: LookupRow; source: LookupSource }) {
  const comparison = comparedWithBase(row, source);
  if (comparison === undefined) return null;
  const combined = combinedText(comparison);
  return (
    <span className={`${classes.difference} num`} data-verdict={comparison.verdict}>
      {bpsText(comparison)}
      {comparison.verdict === 'equal' || combined === '' ? null : (
        <span className={classes.aside}>
          {' '}
          {comparison.verdict === 'beyond' ? '>' : '≤'} {combined}
          <span className="sr-only"> combined confidence</span>
        </span>
      )}
    </span>
  );
}

function Moment({ us }: { us: UnixMicros }) {
  const text = useMomentText();
  const iso = formatIsoMicros(us);
  const { text: shown, title } = text(microsToMillis(us), iso);
  // Digits below the second are said where they are no zeros.
  const fraction = /\.\d+/.exec(iso)?.[0] ?? '';
  return (
    <time dateTime={iso} title={title}>
      {/\d{2}:\d{2}:\d{2}$/.test(shown) ? `${shown}${fraction}` : shown}
    </time>
  );
}

function Distance({ quote }: { quote: SourceQuote }) {
  const distance = publishDistance(quote);
  if (distance === undefined) return null;
  const from = quote.askedUs === undefined ? 'from when the answer came' : 'from the moment asked for';
  return (
    <span className={classes.distance} title={`${signedSecondsText(distance)} ${from}`}>
      ({signedSecondsText(distance)})
    </span>
  );
}

/** Unix seconds have 10 digits, for centuries; a longer text is no time. */
const TIME_DIGITS = /^\d{1,16}$/;

function Fact({ fact: { name, value, form } }: { fact: QuoteFact }) {
  if (form === 'payload') {
    return (
      <Figure name={clipped(name, 40)}>
        {groupDigits(String(value.length))} characters <CopyButton value={value} label={`Copy ${name}`} />
      </Figure>
    );
  }
  const us = timeOf(value, form);
  return (
    <Figure name={clipped(name, 40)}>
      {us === undefined ? <bdi className="foreign">{clipped(value, 80)}</bdi> : <Moment us={us} />}
    </Figure>
  );
}

function timeOf(value: string, form: QuoteFact['form']): UnixMicros | undefined {
  if (form === 'text' || !TIME_DIGITS.test(value)) return undefined;
  const us = unixMicros(form === 'seconds' ? BigInt(value) * 1_000_000n : BigInt(value));
  return formatIsoMicros(us).endsWith('Z') ? us : undefined;
}

/** The way to the signed update behind a price: the host's first one of that second. */
function Inspect({
  row: { feed },
  source,
  publishUs,
}: {
  row: LookupRow;
  source: LookupSource;
  publishUs: UnixMicros | undefined;
}) {
  if (source === 'router' || feed.feedId === undefined) return null;
  const second = publishUs === undefined ? 'latest' : microsToSeconds(publishUs);
  if (second === undefined) return null;
  const host = source === 'upgraded' ? 'upgraded' : 'updates';
  return (
    <Link
      href={inspectLink(host, second, [feed.feedId])}
      prefetch={false}
      className={classes.inspect}
      aria-label={`Inspect the payload of ${clipped(feed.symbol, 40)}, ${source}`}
    >
      Inspect payload
    </Link>
  );
}
