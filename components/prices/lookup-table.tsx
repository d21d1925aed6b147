'use client';
import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useMoment } from '@/components/ui/time-style';
import { countOf, formatScaled, groupDigits, type ScaledInteger } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import {
  formatIsoMicros,
  microsToMillis,
  parseIsoMicros,
  signedSecondsText,
  type UnixMicros,
} from '@/lib/core/time';
import { feedPagePath } from '@/lib/feeds/page-url';
import type { AnsweredCall } from '@/lib/prices/client/use-lookup';
import {
  type Agreement,
  bpsText,
  combinedText,
  comparisonWithBase,
  differsByMoment,
  distanceText,
  isRepeated,
  type LookupRow,
  publishDistance,
  publishedApart,
  SOURCE_NAMES,
  shownDifferences,
  verdictText,
} from '@/lib/prices/comparison';
import { inspectorPath, type LookupFeed, type QuoteFact, type SourceQuote } from '@/lib/prices/lookup';
import { factLabel } from '@/lib/prices/lookup-cells';
import type { LookupSource } from '@/lib/prices/view';
import { Generation } from './lookup-calls';
import classes from './prices.module.css';

const VERDICTS: Record<Agreement, { name: string; color: string; icon: IconName }> = {
  equal: { name: 'Equal', color: 'good', icon: 'check' },
  within: { name: 'Within confidence', color: 'good', icon: 'check' },
  beyond: { name: 'Apart', color: 'bad', icon: 'alert' },
  unknown: { name: 'No confidence', color: 'idle', icon: 'question' },
};

/** Prices of different moments that differ are no fault. */
const colorIn = (row: LookupRow, verdict = row.compared?.verdict ?? 'unknown') =>
  verdict === 'beyond' && differsByMoment(row) ? 'warn' : VERDICTS[verdict].color;

type TableProps = {
  rows: readonly LookupRow[];
  sources: readonly LookupSource[];
  answered: readonly AnsweredCall[];
  channel: string;
  /** If false, only figures that differ between sources are shown. */
  hasAll: boolean;
};
type CellProps = { row: LookupRow; source: LookupSource };

export function LookupTable({ rows, sources, answered, channel, hasAll }: TableProps) {
  const columns = sources.map((source): Column<LookupRow> => {
    const { name, hint } = SOURCE_NAMES[source];
    return {
      name,
      hint,
      head:
        source === 'router' ? (
          <p className={classes.headLine}>{channel}</p>
        ) : (
          <SourceHead rows={rows} source={source} answered={answered} />
        ),
      // All figures are a list of names and values, which reads from the left.
      ...(hasAll ? {} : { kind: 'figure' as const }),
      mark: () => ({ 'data-source': source }),
      cell: (row) => <SourceCell row={row} source={source} hasAll={hasAll} />,
    };
  });
  const agreement: Column<LookupRow> = { name: 'Agreement', cell: (row) => <AgreementMark row={row} /> };
  return (
    <DataTable
      label="Prices of each source"
      variant="text"
      layout="fixed"
      className={classes.lookup}
      miw={300 + sources.length * 220}
      verticalSpacing={10}
      columns={[
        { name: 'Feed', kind: 'head', cell: ({ feed }) => <FeedName feed={feed} /> },
        ...(sources.length > 1 ? [agreement] : []),
        ...columns,
      ]}
      rows={rows}
      rowProps={({ feed, compared }) => ({ key: feed.key, 'data-verdict': compared?.verdict })}
    />
  );
}

type HeadProps = Pick<TableProps, 'rows' | 'answered'> & { source: LookupSource };

function SourceHead({ rows, answered, source }: HeadProps) {
  const data = answered.find(({ call, payloads }) => call.source === source && payloads.length > 0)
    ?.payloads[0]?.data;
  const href = inspectorPath(
    source,
    payloadMoment(rows, source),
    rows.map(({ feed }) => feed),
  );
  if (href === undefined) return null;
  const [row] = rows;
  const feedsText = rows.length === 1 ? clipped(row?.feed.symbol ?? '', 40) : countOf(rows.length, 'feed');
  return (
    <p className={classes.headLine}>
      {source !== 'deprecated' && data !== undefined ? (
        <span>
          {source === 'updates' ? 'Old' : 'New'} address, <Generation data={data} as="format" />
        </span>
      ) : null}
      <Link href={href} aria-label={`Inspect the payload of ${feedsText}, ${source}`}>
        Inspect
      </Link>
    </p>
  );
}

/** The moment of the request, else the second in which all prices of the column were published. */
function payloadMoment(rows: readonly LookupRow[], source: LookupSource): UnixMicros | 'latest' {
  const quotes = rows.flatMap((row) => {
    const cell = row.cells.find((entry) => entry.source === source)?.cell;
    return cell?.kind === 'quote' ? [cell.quote] : [];
  });
  const [first] = quotes;
  if (first?.requestedUs !== undefined && source !== 'deprecated') return first.requestedUs;
  const isShared = quotes.every(({ publishUs }) => publishUs === first?.publishUs);
  return (isShared ? first?.publishUs : undefined) ?? 'latest';
}

function AgreementMark({ row }: { row: LookupRow }) {
  const verdict = row.compared && VERDICTS[row.compared.verdict];
  if (verdict === undefined) return null;
  const apart = publishedApart(row);
  const sentence = verdictText(row);
  // The text has one line where prices agree, so that the rows below keep their places; its tooltip is the sentence.
  const text =
    row.compared?.verdict === 'within'
      ? distanceText(row)
      : (sentence ?? (apart && `Published ${signedSecondsText(apart).slice(1)} apart`));
  const priced = row.cells.filter(({ cell }) => cell.kind === 'quote' && cell.quote.price).length;
  const isWaiting = row.cells.some(({ cell }) => cell.kind === 'waiting');
  return (
    <>
      <Badge color={colorIn(row)} leftSection={<Icon name={verdict.icon} size={13} />}>
        {verdict.name}
      </Badge>
      {text && (
        <p className={classes.soft} title={sentence}>
          {text}
        </p>
      )}
      {isWaiting || priced === row.cells.length ? null : (
        <p className={classes.soft}>
          {priced} of {row.cells.length} have a price
        </p>
      )}
    </>
  );
}

function SourceCell({ row, source, hasAll }: CellProps & { hasAll: boolean }) {
  const cell = row.cells.find((entry) => entry.source === source)?.cell;
  // About the height of a price with its figures, so that the answer moves little.
  if (cell?.kind === 'waiting')
    return (
      <Text mih={hasAll ? { base: '12rem', sm: '12.75rem', lg: '10.75rem' } : '2.625rem'}>Loading…</Text>
    );
  if (cell?.kind === 'quote') {
    const isShown = hasAll ? () => true : (name: string) => shownDifferences(row).has(name);
    return <Quote row={row} source={source} quote={cell.quote} isShown={isShown} hasAll={hasAll} />;
  }
  return cell?.kind !== 'none' ? null : (
    <div className={classes.soft}>
      <strong className={cell.isFault ? classes.warn : undefined}>{cell.title}</strong> {cell.text}{' '}
      {cell.quote === undefined ? null : <q className="foreign">{cell.quote}</q>}{' '}
      {cell.payloadOf && <Inspect row={row} source={source} at={cell.payloadOf} />}
    </div>
  );
}

function FeedName({ feed: { symbol, feedId, routerId } }: { feed: LookupFeed }) {
  const name = <bdi>{clipped(symbol.length === 64 ? shortenHex(`0x${symbol}`) : symbol, 60)}</bdi>;
  return (
    <>
      <strong>{feedId === undefined ? name : <Link href={feedPagePath(feedId)}>{name}</Link>}</strong>
      <p className={classes.soft}>
        {feedId && (
          <>
            <code>{shortenHex(`0x${feedId}`)}</code>
            <CopyButton value={feedId} label={`Copy the feed id of ${clipped(symbol, 40)}`} />{' '}
          </>
        )}
        {routerId && 'router '}
        {routerId && <code>{clipped(routerId, 20)}</code>}
      </p>
    </>
  );
}

const grouped = (value: ScaledInteger) => formatScaled(value, { groupSeparator: ',' });

type QuoteProps = CellProps & { quote: SourceQuote; isShown: (figure: string) => boolean; hasAll: boolean };

function Quote({ row, source, quote, isShown, hasAll }: QuoteProps) {
  const { price, conf, ema, publishUs, facts } = quote;
  const comparison = comparisonWithBase(row, source);
  const combined = comparison && combinedText(comparison);
  const distance = publishDistance(quote);
  const priceText = price === undefined ? '—' : grouped(price);
  // Only differences are shown, so an equal quote is reduced to its faint price.
  if (!hasAll && isRepeated(row, source)) {
    return (
      <div className={classes.soft} title="Equal in all figures">
        <span data-figure="price" className={`num ${classes.price}`}>
          {priceText}
        </span>
        <p>= {SOURCE_NAMES[row.compared?.base ?? source].name}</p>
      </div>
    );
  }
  return (
    <>
      <div>
        <strong data-figure="price" className={`num ${classes.price}`}>
          {priceText}
        </strong>{' '}
        {comparison && (hasAll || comparison.verdict !== 'equal') && (
          <Badge
            color={colorIn(row, comparison.verdict)}
            title={combined && `Sum of both confidences: ${combined}`}
          >
            {bpsText(comparison)}
          </Badge>
        )}
      </div>
      <dl className={classes.figures}>
        {conf && isShown('confidence') && <Figure name="Confidence">±{grouped(conf)}</Figure>}
        {ema && isShown('ema') && (
          <Figure name="EMA">
            {grouped(ema.price)}
            {ema.conf && <span className={classes.soft}> ±{grouped(ema.conf)}</span>}
          </Figure>
        )}
        <Figure
          name="Published"
          isNameless={!hasAll}
          title={publishUs === undefined ? 'Not in the answer' : undefined}
        >
          {publishUs === undefined ? (
            'Unknown'
          ) : (
            <>
              <Moment us={publishUs} />{' '}
              {distance === undefined ? null : (
                <span className={`${classes.soft} ${classes.whole}`}>({signedSecondsText(distance, 3)})</span>
              )}
            </>
          )}
        </Figure>
        {facts
          .filter(({ name }) => isShown(name))
          .map((fact) => (
            <Figure key={fact.name} name={clipped(factLabel(fact.name), 40)} title={clipped(fact.name, 40)}>
              <FactValue fact={fact} />
            </Figure>
          ))}
      </dl>
      {hasAll ? <Inspect row={row} source={source} at={publishUs ?? 'latest'} /> : null}
    </>
  );
}

type FigureProps = {
  name: string;
  title?: string | undefined;
  /** The name is only for assistive technology. */
  isNameless?: boolean;
  children: ReactNode;
};

function Figure({ name, title, isNameless, children }: FigureProps) {
  return (
    <div>
      <dt title={title} className={isNameless ? 'sr-only' : undefined}>
        {name}
      </dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

function FactValue({ fact: { name, value, form } }: { fact: QuoteFact }) {
  const us = form === 'time' ? parseIsoMicros(value) : undefined;
  if (us !== undefined) return <Moment us={us} />;
  if (form !== 'payload')
    return <bdi className="foreign">{clipped(value.replace(/^\d{4,}(?=\.\d+$)/, groupDigits), 80)}</bdi>;
  return (
    <>
      {groupDigits(value.length)} characters <CopyButton value={value} label={`Copy ${name}`} />
    </>
  );
}

function Moment({ us }: { us: UnixMicros }) {
  const iso = formatIsoMicros(us);
  const { text, title } = useMoment(microsToMillis(us), iso);
  const fraction = /\.\d+/.exec(iso)?.[0] ?? '';
  return (
    <time dateTime={iso} title={title} className={classes.whole}>
      {/\d{2}:\d{2}:\d{2}$/.test(text) ? `${text}${fraction}` : text}
    </time>
  );
}

function Inspect({ row: { feed }, source, at }: CellProps & { at: UnixMicros | 'latest' }) {
  const href = inspectorPath(source, at, [feed]);
  const label = `Inspect the payload of ${clipped(feed.symbol, 40)}, ${source}`;
  return (
    href && (
      <Link href={href} aria-label={label}>
        Inspect payload
      </Link>
    )
  );
}
