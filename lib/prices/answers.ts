import { type DeprecatedFeed, type FeedUpdate, readDeprecatedFeed, readUpdateBody } from '@/lib/core/feed';
import { formatScaled } from '@/lib/core/numbers';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { type RouterFeedPrice, readRouterPrices, routerScaled } from '@/lib/core/router-price';
import { formatIsoMicros, secondsToMicros, type UnixMicros, unixMicros } from '@/lib/core/time';
import { type LookupCall, type LookupCell, type QuoteFact, type SourceQuote, serviceOf } from './lookup';

/** A signed payload of an answer, for all feeds of its call. */
export type AnswerPayload = { readonly format: string; readonly encoding: string; readonly data: string };

/** What an answer says of the feeds of its call, by their keys; none is left out. */
export type ReadAnswer = {
  readonly cells: ReadonlyMap<string, LookupCell>;
  readonly payloads: readonly AnswerPayload[];
};

/** Reads the answer of a call. @param receivedMs when it was here, unix milliseconds */
export function readAnswer(call: LookupCall, text: string, receivedMs: number): Outcome<ReadAnswer> {
  const of = { receivedMs, askedUs: call.askedUs };
  const read =
    call.source === 'router'
      ? readRouter(call, text, of)
      : call.source === 'deprecated'
        ? readDeprecated(call, text, of)
        : readUpdates(call, text, of);
  return read.ok ? read : failed({ ...read.failure, service: serviceOf(call.source) });
}

type Of = Pick<SourceQuote, 'receivedMs' | 'askedUs'>;

function readUpdates({ feeds }: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const body = readUpdateBody(text);
  if (!body.ok) return body;
  const { updates, unreadable, binary, parsedPresent } = body.value;
  const cells = new Map<string, LookupCell>();
  for (const { key, feedId = '' } of feeds) {
    const update = updates.findLast(({ id }) => id === feedId);
    const broken = unreadable.find(({ rawJson }) => rawJson.toLowerCase().includes(feedId));
    if (update !== undefined) cells.set(key, { kind: 'quote', quote: updateQuote(update, of) });
    else if (!parsedPresent) cells.set(key, { kind: 'binary-only', ...of });
    else cells.set(key, broken === undefined ? { kind: 'absent' } : { kind: 'unreadable', ...broken });
  }
  const { encoding = '', data = [] } = binary ?? {};
  return ok({ cells, payloads: data.map((one) => ({ format: 'update', encoding, data: one })) });
}

function updateQuote({ price, conf, ema, publishTime, ...update }: FeedUpdate, of: Of): SourceQuote {
  return {
    ...of,
    price,
    conf,
    ema,
    publishUs: secondsToMicros(publishTime),
    facts: factsOf([
      ['slot', update.slot],
      ['prev_publish_time', update.prevPublishTime, 'seconds'],
      ['proof_available_time', update.proofAvailableTime, 'seconds'],
      ['ema_price.publish_time', ema?.publishTime === publishTime ? undefined : ema?.publishTime, 'seconds'],
    ]),
  };
}

type MaybeFact = readonly [name: string, value?: string | number, form?: 'seconds' | 'micros' | 'payload'];

function factsOf(facts: readonly MaybeFact[]): QuoteFact[] {
  return facts.flatMap(([name, value, form]): QuoteFact[] => {
    if (value === undefined) return [];
    if (form === 'payload') return [{ name, value: String(value), form }];
    const us = form === undefined ? undefined : micros(String(value), form);
    return [
      us === undefined
        ? { name, value: String(value), form: 'text' }
        : { name, value: formatIsoMicros(us), form: 'time' },
    ];
  });
}

/** Unix time in digits; undefined where no calendar of four-digit years reaches. */
function micros(digits: string | undefined, unit: 'seconds' | 'micros'): UnixMicros | undefined {
  if (digits === undefined || !/^\d{1,18}$/.test(digits)) return undefined;
  const us = unixMicros(BigInt(digits) * (unit === 'seconds' ? 1_000_000n : 1n));
  return formatIsoMicros(us).endsWith('Z') ? us : undefined;
}

function readDeprecated({ feeds }: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const read = readDeprecatedFeed(text);
  if (!read.ok) return read;
  const { update, vaa } = read.value;
  const quote = deprecatedQuote(read.value, of);
  const cells = new Map(
    feeds.map(({ key, feedId }): [string, LookupCell] => [
      key,
      update.id === feedId ? { kind: 'quote', quote } : { kind: 'absent' },
    ]),
  );
  return ok({ cells, payloads: vaa === undefined ? [] : [{ format: 'vaa', encoding: 'base64', data: vaa }] });
}

function deprecatedQuote(feed: DeprecatedFeed, of: Of): SourceQuote {
  const quote = updateQuote(feed.update, of);
  const more = factsOf([
    ['emitter_chain', feed.emitterChain],
    ['price_service_receive_time', feed.priceServiceReceiveTime, 'seconds'],
    ['vaa', feed.vaa, 'payload'],
  ]);
  return { ...quote, facts: [...quote.facts, ...more] };
}

function readRouter({ feeds }: LookupCall, text: string, of: Of): Outcome<ReadAnswer> {
  const read = readRouterPrices(text);
  if (!read.ok) return read;
  const { prices, payloads, timestampUs } = read.value;
  const isUnparsed = timestampUs === undefined && prices.length === 0;
  const cells = new Map(
    feeds.map(({ key, routerId, exponent }): [string, LookupCell] => {
      const price = prices.findLast((one) => one.routerId === routerId);
      if (price !== undefined)
        return [key, { kind: 'quote', quote: routerQuote(price, exponent, timestampUs, of) }];
      return [key, isUnparsed ? { kind: 'binary-only', ...of } : { kind: 'absent' }];
    }),
  );
  return ok({ cells, payloads });
}

/** The longest text of a member that the contract does not know. */
const LONGEST_FACT = 200;

function routerQuote(
  answer: RouterFeedPrice,
  exponent: number | undefined,
  timestampUs: string | undefined,
  of: Of,
): SourceQuote {
  const price = routerScaled(answer, 'price', exponent);
  const emaPrice = routerScaled(answer, 'emaPrice', exponent);
  const textOf = (name: 'bestBidPrice' | 'bestAskPrice') => {
    const value = routerScaled(answer, name, exponent);
    return value === undefined ? answer.figures[name] : formatScaled(value);
  };
  return {
    ...of,
    price,
    conf: routerScaled(answer, 'confidence', exponent),
    ema:
      emaPrice === undefined
        ? undefined
        : { price: emaPrice, conf: routerScaled(answer, 'emaConfidence', exponent) },
    publishUs: micros(answer.feedUpdateTimestamp, 'micros') ?? micros(timestampUs, 'micros'),
    facts: factsOf([
      // Without an exponent a mantissa is no price.
      ['price (no exponent known)', price === undefined ? answer.figures.price : undefined],
      ['bestBidPrice', textOf('bestBidPrice')],
      ['bestAskPrice', textOf('bestAskPrice')],
      ['publisherCount', answer.publisherCount],
      ['marketSession', answer.marketSession],
      ['timestampUs', timestampUs, 'micros'],
      ...Object.entries(answer.extra).map(([name, json]): MaybeFact => [name, json.slice(0, LONGEST_FACT)]),
    ]),
  };
}
