import * as z from 'zod/mini';
import { type FeedId, parseFeedId } from './feed';
import { readScaled, type ScaledInteger } from './numbers';
import { failed, type Outcome, ok } from './outcome';
import {
  integerText,
  isWireObject,
  member,
  objectMember,
  type ReadRows,
  readListText,
  readRows,
  readWireDocument,
  safeInteger,
  textMember,
  type WireDocument,
} from './wire-json';

/** Channels in the order of the interface contract, fastest first. */
export const CHANNELS = [
  'real_time',
  'fixed_rate@1ms',
  'fixed_rate@50ms',
  'fixed_rate@200ms',
  'fixed_rate@1000ms',
] as const;

type Channel = (typeof CHANNELS)[number];

/** The minimum and all slower channels. Empty for an unknown minimum. */
export function permittedChannels(minChannel: string): Channel[] {
  const start = (CHANNELS as readonly string[]).indexOf(minChannel);
  return start < 0 ? [] : CHANNELS.slice(start);
}

/** Links the router's integer ids to the feed ids of the update service. */
export type RouterSymbol = {
  /** `pyth_lazer_id`, decimal digits. */
  routerId: string;
  name: string;
  symbol: string;
  description: string;
  assetType: string;
  exponent?: number;
  /** The fastest channel as the service writes it, for `permittedChannels`. */
  minChannel?: string;
  /** The router's word: `stable`, `coming_soon`, `inactive` … */
  state?: string;
  /** Trading hours as the service writes them, for `marketAt`. */
  schedule?: string;
  /** `hermes_id`; null if the update service lacks the feed. */
  feedId: FeedId | null;
  quoteCurrency?: string;
};

/** Integers, to be scaled by the price's exponent. */
const SCALED_MEMBERS = [
  'price',
  'bestBidPrice',
  'bestAskPrice',
  'confidence',
  'emaPrice',
  'emaConfidence',
] as const;

type ScaledMember = (typeof SCALED_MEMBERS)[number];
type Figures = Partial<Record<ScaledMember, string>>;

export type RouterFeedPrice = Exclude<ReturnType<typeof readFeedPrice>, string>;

/** An answer has a signed payload per format. */
const payload = z.object({ encoding: z.string(), data: z.string() });
export type RouterPayload = z.infer<typeof payload> & { format: string };

/** `timestampUs`: decimal digits; undefined if the answer has no parsed part. */
type RouterPrices = ReadRows<RouterFeedPrice> & { timestampUs?: string; payloads: RouterPayload[] };

const malformed = (detail: string) => failed({ kind: 'malformed', service: 'router', detail });

/** Reads row by row; `malformed` if the text is not a JSON list. */
export function readRouterSymbols(text: string): Outcome<ReadRows<RouterSymbol>> {
  const list = readListText(text, readSymbol);
  return list ? ok(list) : malformed('The symbol list is not a JSON list, or it was cut off.');
}

function readSymbol(row: Record<string, unknown>): RouterSymbol | string {
  const routerId = integerText(member(row, 'pyth_lazer_id'));
  if (routerId === undefined) return 'pyth_lazer_id is not an integer.';
  return {
    routerId,
    name: textMember(row, 'name') ?? '',
    symbol: textMember(row, 'symbol') ?? '',
    description: textMember(row, 'description') ?? '',
    assetType: textMember(row, 'asset_type') ?? '',
    exponent: safeInteger(member(row, 'exponent')),
    minChannel: textMember(row, 'min_channel'),
    state: textMember(row, 'state'),
    schedule: textMember(row, 'schedule'),
    feedId: parseFeedId(textMember(row, 'hermes_id') ?? '') ?? null,
    quoteCurrency: textMember(row, 'quote_currency'),
  };
}

/** Reads either price route, feed by feed; `malformed` if it has neither `parsed` nor a payload. */
export function readRouterPrices(text: string): Outcome<RouterPrices> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !isWireObject(body))
    return malformed('The price answer is not a JSON object, or it was cut off.');
  // Anything with an encoding and data counts, so a format added later is shown under its name.
  const payloads = Object.entries({ ...body, parsed: undefined }).flatMap(
    ([format, value]): RouterPayload[] => {
      const { data } = payload.safeParse(value);
      return data ? [{ format, ...data }] : [];
    },
  );
  if ((member(body, 'parsed') ?? undefined) === undefined) {
    if (payloads.length === 0) return malformed('The price answer has neither prices nor a signed payload.');
    return ok({ rows: [], unreadable: [], payloads });
  }
  const parsed = objectMember(body, 'parsed');
  const feeds = member(parsed, 'priceFeeds');
  if (!Array.isArray(feeds)) return malformed('The price answer has no list of feeds.');
  const timestampUs = integerText(member(parsed, 'timestampUs'));
  return ok({ ...readRows(feeds, document.textOf, readFeedPrice), timestampUs, payloads });
}

const PRICE_MEMBERS: readonly string[] = [
  ...['priceFeedId', 'exponent', 'publisherCount', 'marketSession', 'feedUpdateTimestamp'],
  ...SCALED_MEMBERS,
];

/** Integers are decimal digits; times are unix microseconds. */
function readFeedPrice(value: Record<string, unknown>, textOf: WireDocument['textOf']) {
  const routerId = integerText(member(value, 'priceFeedId'));
  if (routerId === undefined) return 'priceFeedId is not an integer.';
  const figures = SCALED_MEMBERS.map((name) => [name, integerText(member(value, name))] as const);
  const extra = Object.keys(value).filter((name) => !PRICE_MEMBERS.includes(name));
  return {
    routerId,
    exponent: safeInteger(member(value, 'exponent')),
    // The figures are not scaled yet; `routerScaled` does it.
    figures: Object.fromEntries(figures.filter(([, digits]) => digits !== undefined)) as Figures,
    publisherCount: integerText(member(value, 'publisherCount')),
    marketSession: textMember(value, 'marketSession'),
    feedUpdateTimestamp: integerText(member(value, 'feedUpdateTimestamp')),
    // JSON text.
    extra: Object.fromEntries(extra.map((name) => [name, textOf(value[name])])),
  };
}

/** The price by the answer's exponent, else that of the symbol list. Undefined without a figure or an exponent. */
export function routerScaled(
  price: Pick<RouterFeedPrice, 'exponent' | 'figures'>,
  name: ScaledMember,
  symbolExponent: number | undefined,
): ScaledInteger | undefined {
  const exponent = price.exponent ?? symbolExponent;
  return exponent === undefined ? undefined : readScaled(price.figures[name], exponent);
}
