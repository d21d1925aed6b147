import { type DeprecatedFeed, type FeedUpdate, readDeprecatedFeed, readUpdateBody } from '@/lib/domain/feed';
import type { Outcome } from '@/lib/domain/outcome';
import { failed, ok } from '@/lib/domain/outcome';
import { type RouterFeedPrice, readRouterPrices, routerScaled } from '@/lib/domain/router-price';
import { formatScaled } from '@/lib/domain/scaled-number';
import { type UnixMicros, unixMicros } from '@/lib/domain/units';
import { parseSecondsText, secondsToMicros } from '@/lib/domain/unix-micros';
import {
  type LookupCall,
  type LookupCell,
  type QuoteFact,
  type SourceQuote,
  serviceOf,
} from './price-lookup';

/** A signed payload of an answer, for all feeds of its call. */
export type AnswerPayload = { readonly format: string; readonly encoding: string; readonly data: string };

/** What an answer says of the feeds of its call, by their keys; none is left out. */
export type ReadAnswer = {
  readonly cells: ReadonlyMap<string, LookupCell>;
  readonly payloads: readonly AnswerPayload[];
  /** Rows that can't be read and are of none of the feeds. */
  readonly strangers: number;
};

/** Reads the answer of a call. @param receivedMs when it was here, unix milliseconds */
export function readLookupAnswer(call: LookupCall, text: string, receivedMs: number): Outcome<ReadAnswer> {
  const of = { receivedMs, ...(call.askedUs === undefined ? {} : { askedUs: call.askedUs }) };
  switch (call.source) {
    case 'deprecated':
      return readDeprecated(call, text, of);
    case 'router':
      return readRouter(call, text, of);
    default:
      return readUpdates(call, text, of);
  }
}

type Of = Pick<SourceQuote, 'receivedMs' | 'askedUs'>;

function readUpdates(call: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const body = readUpdateBody(text);
  if (!body.ok) return failed({ ...body.failure, service: serviceOf(call.source) });
  const { updates, unreadable, binary, parsedPresent } = body.value;
  const byId = new Map(updates.map((update) => [update.id, update]));
  const cells = new Map<string, LookupCell>();
  let owned = 0;
  for (const feed of call.feeds) {
    const update = feed.feedId === undefined ? undefined : byId.get(feed.feedId);
    const broken = unreadable.find(({ rawJson }) => names(rawJson, feed.feedId));
    owned += update === undefined && broken !== undefined ? 1 : 0;
    if (update !== undefined) cells.set(feed.key, { kind: 'quote', quote: updateQuote(update, of) });
    else if (!parsedPresent) cells.set(feed.key, { kind: 'binary-only', ...of });
    else cells.set(feed.key, broken === undefined ? { kind: 'absent' } : { kind: 'unreadable', ...broken });
  }
  const payloads = (binary?.data ?? []).map((data) => ({
    format: 'update',
    encoding: binary?.encoding ?? '',
    data,
  }));
  return ok({ cells, payloads, strangers: unreadable.length - owned });
}

/** Whether the JSON of a row that can't be read speaks of a feed. */
function names(rawJson: string, id: string | undefined): boolean {
  return id !== undefined && rawJson.toLowerCase().includes(id);
}

function updateQuote(update: FeedUpdate, of: Of): SourceQuote {
  const { price, conf, ema, publishTime } = update;
  return {
    ...of,
    price,
    conf,
    ...(ema === undefined ? {} : { ema: { price: ema.price, conf: ema.conf } }),
    publishUs: secondsToMicros(publishTime),
    facts: factsOf([
      ['slot', update.slot, 'text'],
      ['prev_publish_time', update.prevPublishTime, 'seconds'],
      ['proof_available_time', update.proofAvailableTime, 'seconds'],
      [
        'ema_price.publish_time',
        ema === undefined || ema.publishTime === publishTime ? undefined : ema.publishTime,
        'seconds',
      ],
    ]),
  };
}

type MaybeFact = readonly [name: string, value: string | number | undefined, form: QuoteFact['form']];

function factsOf(facts: readonly MaybeFact[]): QuoteFact[] {
  return facts.flatMap(([name, value, form]) =>
    value === undefined ? [] : [{ name, value: String(value), form }],
  );
}

function readDeprecated(call: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const read = readDeprecatedFeed(text);
  if (!read.ok) return failed({ ...read.failure, service: serviceOf(call.source) });
  const cells = new Map<string, LookupCell>();
  for (const feed of call.feeds) {
    const isMeant = read.value.update.id === feed.feedId;
    cells.set(
      feed.key,
      isMeant ? { kind: 'quote', quote: deprecatedQuote(read.value, of) } : { kind: 'absent' },
    );
  }
  const { vaa } = read.value;
  const payloads = vaa === undefined ? [] : [{ format: 'vaa', encoding: 'base64', data: vaa }];
  return ok({ cells, payloads, strangers: 0 });
}

function deprecatedQuote(feed: DeprecatedFeed, of: Of): SourceQuote {
  const quote = updateQuote(feed.update, of);
  const facts = factsOf([
    ['emitter_chain', feed.emitterChain, 'text'],
    ['price_service_receive_time', feed.priceServiceReceiveTime, 'seconds'],
    ['vaa', feed.vaa, 'payload'],
  ]);
  return { ...quote, facts: [...quote.facts, ...facts] };
}

function readRouter(call: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const read = readRouterPrices(text);
  if (!read.ok) return read;
  const { prices, unreadable, payloads, timestampUs } = read.value;
  const byId = new Map(prices.map((price) => [price.routerId, price]));
  const cells = new Map<string, LookupCell>();
  for (const feed of call.feeds) {
    const price = byId.get(feed.routerId ?? '');
    if (price !== undefined) {
      cells.set(feed.key, { kind: 'quote', quote: routerQuote(price, feed.exponent, timestampUs, of) });
    } else {
      const isUnparsed = timestampUs === undefined && prices.length === 0;
      cells.set(feed.key, isUnparsed ? { kind: 'binary-only', ...of } : { kind: 'absent' });
    }
  }
  return ok({ cells, payloads, strangers: unreadable.length });
}

/** The longest text of a member that the contract does not know. */
const LONGEST_FACT = 200;

function routerQuote(
  price: RouterFeedPrice,
  exponent: number | undefined,
  timestampUs: string | undefined,
  of: Of,
): SourceQuote {
  const value = routerScaled(price, 'price', exponent);
  const conf = routerScaled(price, 'confidence', exponent);
  const emaPrice = routerScaled(price, 'emaPrice', exponent);
  const emaConf = routerScaled(price, 'emaConfidence', exponent);
  const publishUs = micros(price.feedUpdateTimestamp) ?? micros(timestampUs);
  const raw = value === undefined ? price.figures.price : undefined;
  const extra = Object.entries(price.extra).map(
    ([name, json]): QuoteFact => ({ name, value: json.slice(0, LONGEST_FACT), form: 'text' }),
  );
  return {
    ...of,
    ...(value === undefined ? {} : { price: value }),
    ...(conf === undefined ? {} : { conf }),
    ...(emaPrice === undefined
      ? {}
      : { ema: { price: emaPrice, ...(emaConf === undefined ? {} : { conf: emaConf }) } }),
    ...(publishUs === undefined ? {} : { publishUs }),
    facts: [
      ...factsOf([
        // Without an exponent a mantissa is no price.
        ['price (no exponent known)', raw, 'text'],
        ['bestBidPrice', scaledText(price, 'bestBidPrice', exponent), 'text'],
        ['bestAskPrice', scaledText(price, 'bestAskPrice', exponent), 'text'],
        ['publisherCount', price.publisherCount, 'text'],
        ['marketSession', price.marketSession, 'text'],
        ['timestampUs', timestampUs, 'micros'],
      ]),
      ...extra,
    ],
  };
}

function micros(digits: string | undefined): UnixMicros | undefined {
  if (digits === undefined || !/^\d{1,18}$/.test(digits)) return undefined;
  const value = BigInt(digits);
  // The bound of four-digit years is that of the other clock.
  return parseSecondsText((value / 1_000_000n).toString()) === undefined ? undefined : unixMicros(value);
}

function scaledText(
  price: RouterFeedPrice,
  name: 'bestBidPrice' | 'bestAskPrice',
  exponent: number | undefined,
): string | undefined {
  const value = routerScaled(price, name, exponent);
  return value === undefined ? price.figures[name] : formatScaled(value);
}
