import { type FeedUpdate, readDeprecatedFeed, readUpdateBody } from '@/lib/core/feed';
import { formatScaled } from '@/lib/core/numbers';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import {
  type RouterFeedPrice,
  type RouterPayload,
  readRouterPrices,
  routerScaled,
} from '@/lib/core/router-price';
import { clipped } from '@/lib/core/text';
import { formatIsoMicros, secondsToMicros, type UnixMicros, unixMicros } from '@/lib/core/time';
import { type LookupCall, type LookupCell, type QuoteFact, type SourceQuote, sourceService } from './lookup';

/** One cell for each feed of the call, by its key. */
type ReadAnswer = { cells: ReadonlyMap<string, LookupCell>; payloads: readonly RouterPayload[] };

const READERS = {
  updates: readUpdates,
  upgraded: readUpdates,
  deprecated: readDeprecated,
  router: readRouter,
};

/** @param receivedMs arrival of the answer, unix ms */
export function readAnswer(call: LookupCall, text: string, receivedMs: number): Outcome<ReadAnswer> {
  const read = READERS[call.source](call, text, { receivedMs, requestedUs: call.requestedUs });
  return read.ok ? read : failed({ ...read.failure, service: sourceService(call.source) });
}

type QuoteTimes = Pick<SourceQuote, 'receivedMs' | 'requestedUs'>;

const none = (title: string, text: string, more: object): LookupCell => {
  return { kind: 'none', title, text, ...more };
};
const ABSENT = none('Feed not found', 'Not in the answer.', { isFault: true });
const binaryOnly = ({ requestedUs }: QuoteTimes) =>
  none('Binary only', 'Requested with parsed=false.', { payloadOf: requestedUs ?? 'latest' });
/** Feeds that were never published are served with prices and times of 0. */
const NEVER_PUBLISHED = none('Never published', 'Its publish time is 0.', {});
const quoted = (quote: SourceQuote): LookupCell => ({ kind: 'quote', quote });

function readUpdates({ feeds }: LookupCall, text: string, times: QuoteTimes): Outcome<ReadAnswer> {
  const body = readUpdateBody(text);
  if (!body.ok) return body;
  const { updates, unreadable, binary, parsedPresent } = body.value;
  const cellOf = (feedId: string): LookupCell => {
    const update = updates.findLast(({ id }) => id === feedId);
    if (update?.publishTime === 0) return NEVER_PUBLISHED;
    if (update !== undefined) return quoted(updateQuote(update, times));
    if (!parsedPresent) return binaryOnly(times);
    const broken = unreadable.find(({ rawJson }) => rawJson.toLowerCase().includes(feedId));
    if (broken === undefined) return ABSENT;
    return none('Unreadable', broken.problem, { quote: clipped(broken.rawJson, 300), isFault: true });
  };
  const { encoding = '', data = [] } = binary ?? {};
  return ok({
    cells: new Map(feeds.map(({ key, feedId = '' }) => [key, cellOf(feedId)])),
    payloads: data.map((payload) => ({ format: 'update', encoding, data: payload })),
  });
}

function updateQuote(
  { price, conf, ema, publishTime, ...update }: FeedUpdate,
  times: QuoteTimes,
): SourceQuote {
  return {
    ...times,
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
    const us = form && micros(String(value), form);
    if (us === undefined) return [{ name, value: String(value), form: 'text' }];
    return [{ name, value: formatIsoMicros(us), form: 'time' }];
  });
}

/** Undefined for 0, which means none, and beyond the year 9999. */
function micros(digits: string | undefined, unit: 'seconds' | 'micros'): UnixMicros | undefined {
  if (digits === undefined || !/^\d{1,18}$/.test(digits) || Number(digits) === 0) return undefined;
  const us = unixMicros(BigInt(digits) * (unit === 'seconds' ? 1_000_000n : 1n));
  return formatIsoMicros(us).endsWith('Z') ? us : undefined;
}

function readDeprecated({ feeds }: LookupCall, text: string, times: QuoteTimes): Outcome<ReadAnswer> {
  const read = readDeprecatedFeed(text);
  if (!read.ok) return read;
  const { update, vaa, emitterChain, priceServiceReceiveTime } = read.value;
  const quote = updateQuote(update, times);
  const facts = factsOf([
    ['emitter_chain', emitterChain],
    ['price_service_receive_time', priceServiceReceiveTime, 'seconds'],
    ['vaa', vaa, 'payload'],
  ]);
  const cell =
    update.publishTime === 0 ? NEVER_PUBLISHED : quoted({ ...quote, facts: [...quote.facts, ...facts] });
  return ok({
    cells: new Map(feeds.map(({ key, feedId }) => [key, update.id === feedId ? cell : ABSENT])),
    payloads: vaa === undefined ? [] : [{ format: 'vaa', encoding: 'base64', data: vaa }],
  });
}

function readRouter({ feeds }: LookupCall, text: string, times: QuoteTimes): Outcome<ReadAnswer> {
  const read = readRouterPrices(text);
  if (!read.ok) return read;
  const { rows: prices, payloads, timestampUs } = read.value;
  const missing = timestampUs === undefined && prices.length === 0 ? binaryOnly(times) : ABSENT;
  const cells = feeds.map(({ key, routerId, exponent }): [string, LookupCell] => {
    const price = prices.findLast((price) => price.routerId === routerId);
    return [key, price === undefined ? missing : quoted(routerQuote(price, exponent, timestampUs, times))];
  });
  return ok({ cells: new Map(cells), payloads });
}

const MAX_FACT = 200;

function routerQuote(
  answer: RouterFeedPrice,
  exponent: number | undefined,
  timestampUs = '',
  times: QuoteTimes,
): SourceQuote {
  const scaled = (name: Parameters<typeof routerScaled>[1]) => routerScaled(answer, name, exponent);
  const textOf = (name: 'bestBidPrice' | 'bestAskPrice') => {
    const value = scaled(name);
    return value === undefined ? answer.figures[name] : formatScaled(value);
  };
  const price = scaled('price');
  const emaPrice = scaled('emaPrice');
  return {
    ...times,
    price,
    conf: scaled('confidence'),
    ema: emaPrice && { price: emaPrice, conf: scaled('emaConfidence') },
    // The time of the answer is recent even for a price of last week.
    publishUs: micros(answer.feedUpdateTimestamp, 'micros'),
    facts: factsOf([
      // Without an exponent, the mantissa is shown as a fact and not as a price.
      ['price (no exponent)', price === undefined ? answer.figures.price : undefined],
      ['bestBidPrice', textOf('bestBidPrice')],
      ['bestAskPrice', textOf('bestAskPrice')],
      ['publisherCount', answer.publisherCount],
      ['marketSession', answer.marketSession],
      ['timestampUs', timestampUs || undefined, 'micros'],
      ...Object.entries(answer.extra).map(([name, json]): MaybeFact => [name, json.slice(0, MAX_FACT)]),
    ]),
  };
}

const LABELS: Readonly<Record<string, string>> = {
  prev_publish_time: 'Previous update',
  proof_available_time: 'Proof available',
  'ema_price.publish_time': 'EMA published',
  price_service_receive_time: 'Received by service',
  vaa: 'Signed payload',
  bestBidPrice: 'Best bid',
  bestAskPrice: 'Best ask',
  publisherCount: 'Publishers',
  timestampUs: 'Answer time',
};

/** `fundingRateInterval` → `Funding rate interval` */
export function factLabel(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.]/g, ' ')
    .toLowerCase();
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
