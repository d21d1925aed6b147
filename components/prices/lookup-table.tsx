'use client';
import { Badge, Table, Text } from '@mantine/core';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useMomentText } from '@/components/ui/time-style';
import { formatScaled, groupDigits } from '@/lib/core/numbers';
import { inspectLink } from '@/lib/core/payload-link';
import { clipped, shortened } from '@/lib/core/text';
import {
  formatIsoMicros,
  microsToMillis,
  microsToSeconds,
  parseIsoMicros,
  signedSecondsText,
  type UnixMicros,
} from '@/lib/core/time';
import { feedPagePath } from '@/lib/feeds/page-url';
import {
  bpsText,
  cellReason,
  combinedText,
  comparedWithBase,
  type LookupRow,
  publishDistance,
  SOURCE_NAMES,
  VERDICT_NAMES,
  type Verdict,
  verdictText,
} from '@/lib/prices/comparison';
import type { LookupCell, LookupFeed, QuoteFact, SourceQuote } from '@/lib/prices/lookup';
import type { LookupSource } from '@/lib/prices/view';
import classes from './prices.module.css';

const TONES: Readonly<Record<Verdict, string>> = {
  equal: 'good',
  within: 'good',
  beyond: 'bad',
  untold: 'idle',
};

/** A row for each feed, a column for each source. */
export function LookupTable({
  rows,
  sources,
  channel,
}: {
  rows: readonly LookupRow[];
  sources: readonly LookupSource[];
  channel: string;
}) {
  return (
    <>
      <Table.ScrollContainer minWidth={220 + sources.length * 220} type="native">
        <Table
          aria-label="Prices of each source"
          verticalSpacing="xs"
          withTableBorder
          className={classes.lookup}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Feed</Table.Th>
              {sources.map((source) => (
                <Table.Th key={source} scope="col">
                  {SOURCE_NAMES[source].name}{' '}
                  {source === 'deprecated' ? <span className={classes.warn}>deprecated</span> : null}{' '}
                  <span className={classes.soft}>
                    {source === 'router' ? channel : SOURCE_NAMES[source].hint}
                  </span>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Row key={row.feed.key} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed" maw="70rem">
        Differences are measured from the first column that has a price, in basis points (hundredths of a
        percent). Combined confidence is the sum of both confidences. Update services answer with the first
        update at or after the second, the router with the one that was current at the moment. The time in
        brackets is the distance from the moment asked for, or from when the answer came.
      </Text>
    </>
  );
}

function Row({ row }: { row: LookupRow }) {
  const { feed, at, compared, cells } = row;
  return (
    <Table.Tr data-verdict={compared?.verdict}>
      <Table.Th scope="row">
        <FeedName feed={feed} />
        {at === 'now' ? null : <p className={classes.soft}>{formatIsoMicros(at)}</p>}
        {compared === undefined ? null : (
          <Badge
            color={TONES[compared.verdict]}
            leftSection={
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
            }
          >
            {VERDICT_NAMES[compared.verdict]}
          </Badge>
        )}
        <p className={classes.soft}>{verdictText(row)}</p>
      </Table.Th>
      {cells.map(({ source, cell }) => (
        <Table.Td key={source} data-source={source}>
          {cell.kind === 'quote' ? (
            <Quote row={row} source={source} quote={cell.quote} />
          ) : (
            <NoPrice row={row} source={source} cell={cell} />
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function FeedName({ feed: { symbol, feedId, routerId } }: { feed: LookupFeed }) {
  const name = <bdi>{clipped(symbol.length === 64 ? shortened(`0x${symbol}`) : symbol, 60)}</bdi>;
  return (
    <>
      <strong>{feedId === undefined ? name : <Link href={feedPagePath(feedId)}>{name}</Link>}</strong>
      <p className={classes.soft}>
        {feedId === undefined ? null : (
          <>
            <code>{shortened(`0x${feedId}`)}</code>
            <CopyButton value={feedId} label={`Copy the feed id of ${clipped(symbol, 40)}`} />{' '}
          </>
        )}
        {routerId === undefined ? null : (
          <>
            router <code>{clipped(routerId, 20)}</code>
          </>
        )}
      </p>
    </>
  );
}

type CellProps = { row: LookupRow; source: LookupSource };

function NoPrice({ row, source, cell }: CellProps & { cell: Exclude<LookupCell, { kind: 'quote' }> }) {
  const { title, text, said } = cellReason(cell);
  if (cell.kind === 'waiting') return <span className={classes.soft}>{title}</span>;
  const isFault = cell.kind === 'failed' || cell.kind === 'unreadable' || cell.kind === 'absent';
  return (
    <div className={classes.soft}>
      <strong className={isFault ? classes.warn : undefined}>{title}</strong> {text}{' '}
      {said === undefined ? null : <q className="foreign">{said}</q>}{' '}
      {cell.kind === 'binary-only' ? <Inspect row={row} source={source} publishUs={cell.askedUs} /> : null}
    </div>
  );
}

/** What one source says of one feed. */
function Quote({ row, source, quote }: CellProps & { quote: SourceQuote }) {
  const { price, conf, ema, publishUs, facts } = quote;
  const comparison = comparedWithBase(row, source);
  const distance = publishDistance(quote);
  return (
    <>
      <div>
        <strong data-figure="price" className={`num ${classes.price}`}>
          {price === undefined ? '—' : formatScaled(price)}
        </strong>{' '}
        {comparison === undefined ? null : (
          <Badge
            color={TONES[comparison.verdict]}
            title={combinedText(comparison) && `Combined confidence: ${combinedText(comparison)}`}
          >
            {bpsText(comparison)}
          </Badge>
        )}
      </div>
      <dl className={classes.figures}>
        {conf === undefined ? null : <Figure name="Confidence">±{formatScaled(conf)}</Figure>}
        {ema === undefined ? null : (
          <Figure name="EMA">
            {formatScaled(ema.price)}
            {ema.conf === undefined ? null : <span className={classes.soft}> ±{formatScaled(ema.conf)}</span>}
          </Figure>
        )}
        {publishUs === undefined ? null : (
          <Figure name="Published">
            <Moment us={publishUs} /> {distance === undefined ? null : `(${signedSecondsText(distance)})`}
          </Figure>
        )}
        {facts.map((fact) => (
          <Fact key={fact.name} fact={fact} />
        ))}
      </dl>
      <Inspect row={row} source={source} publishUs={publishUs} />
    </>
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

function Moment({ us }: { us: UnixMicros }) {
  const iso = formatIsoMicros(us);
  const { text, title } = useMomentText()(microsToMillis(us), iso);
  // Digits below the second are said where they are no zeros.
  const fraction = /\.\d+/.exec(iso)?.[0] ?? '';
  return (
    <time dateTime={iso} title={title}>
      {/\d{2}:\d{2}:\d{2}$/.test(text) ? `${text}${fraction}` : text}
    </time>
  );
}

function Fact({ fact: { name, value, form } }: { fact: QuoteFact }) {
  const us = form === 'time' ? parseIsoMicros(value) : undefined;
  if (us !== undefined) {
    return (
      <Figure name={name}>
        <Moment us={us} />
      </Figure>
    );
  }
  return (
    <Figure name={clipped(name, 40)}>
      {form === 'payload' ? (
        <>
          {groupDigits(String(value.length))} characters <CopyButton value={value} label={`Copy ${name}`} />
        </>
      ) : (
        <bdi className="foreign">{clipped(value, 80)}</bdi>
      )}
    </Figure>
  );
}

/** The way to the signed update behind a price: the host's first one of that second. */
function Inspect({ row: { feed }, source, publishUs }: CellProps & { publishUs: UnixMicros | undefined }) {
  const second = publishUs === undefined ? 'latest' : microsToSeconds(publishUs);
  if (source === 'router' || feed.feedId === undefined || second === undefined) return null;
  return (
    <Link
      href={inspectLink(source === 'upgraded' ? 'upgraded' : 'updates', second, [feed.feedId])}
      prefetch={false}
      aria-label={`Inspect the payload of ${clipped(feed.symbol, 40)}, ${source}`}
    >
      Inspect payload
    </Link>
  );
}
