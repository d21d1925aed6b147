import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { CHANNELS, type Channel } from '@/lib/domain/router-price';
import type { UnixMicros } from '@/lib/domain/units';
import { formatIsoMicros, parseIsoMicros, parseSecondsText } from '@/lib/domain/unix-micros';
import type { UrlProblem } from '@/lib/domain/url-problem';
import { parseFeedReference } from './feeds-url';

/** A feed as the address names it. `pair`: both ids, for feeds that no directory links. */
export type PriceReference =
  | { readonly kind: 'id'; readonly id: FeedId }
  | { readonly kind: 'router'; readonly routerId: string }
  | { readonly kind: 'pair'; readonly id: FeedId; readonly routerId: string }
  | { readonly kind: 'symbol'; readonly symbol: string };

/** The columns of a lookup, in their order. `deprecated` is the old single-feed route of the old host. */
export const LOOKUP_SOURCES = ['updates', 'upgraded', 'deprecated', 'router'] as const;
export type LookupSource = (typeof LOOKUP_SOURCES)[number];

/** The properties and formats that routers are known to have; others can be asked for by name. */
export const ROUTER_PROPERTIES = [
  'price',
  'bestBidPrice',
  'bestAskPrice',
  'publisherCount',
  'exponent',
  'confidence',
  'fundingRate',
  'fundingTimestamp',
  'fundingRateInterval',
  'marketSession',
  'emaPrice',
  'emaConfidence',
  'feedUpdateTimestamp',
] as const;
export const ROUTER_FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'] as const;

/** What the services are asked for, and how. */
export type LookupOptions = {
  readonly sources: readonly LookupSource[];
  readonly channel: Channel;
  readonly properties: readonly string[];
  readonly formats: readonly string[];
  readonly encoding: 'hex' | 'base64';
  readonly parsed: 'yes' | 'no';
  /** Whether one unknown id makes the update service refuse all (`ignore_invalid_price_ids`). */
  readonly invalid: 'ignored' | 'refused';
  /** Of the deprecated route. */
  readonly verbose: 'yes' | 'no';
  readonly binary: 'yes' | 'no';
};

export type LookupMode = 'table' | 'json' | 'curl';

/** What `/prices` shows: its address, and nothing else, says so. */
export type PricesView = LookupOptions & {
  /** Each once, in the order of the address. */
  readonly feeds: readonly PriceReference[];
  /** Absent: now. */
  readonly at?: UnixMicros;
  readonly mode: LookupMode;
};

export const PRICES_PATH = '/prices';
/** Feeds of one lookup at most: as many as fit into the address of one call. */
export const MOST_LOOKED_UP = 100;

export const USUAL_PRICES: PricesView = {
  feeds: [],
  // The deprecated route is used only where asked for.
  sources: ['updates', 'upgraded', 'router'],
  // Every feed serves the slowest channel.
  channel: 'fixed_rate@1000ms',
  properties: ROUTER_PROPERTIES.filter((name) => !name.startsWith('funding')),
  formats: [],
  encoding: 'hex',
  parsed: 'yes',
  invalid: 'ignored',
  verbose: 'yes',
  binary: 'yes',
  mode: 'table',
};

/** A feed by its hex id, its router id (digits), both (`1:e62d…`) or its symbol; undefined for what is none. */
export function parsePriceReference(text: string): PriceReference | undefined {
  const trimmed = text.trim();
  const [, routerId, hex] = /^(\d{1,19})(?::(.*))?$/.exec(trimmed) ?? [];
  if (routerId === undefined) return parseFeedReference(trimmed);
  if (hex === undefined) return { kind: 'router', routerId: plainDigits(routerId) };
  const id = parseFeedId(hex);
  return id === undefined ? undefined : { kind: 'pair', id, routerId: plainDigits(routerId) };
}

function plainDigits(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** The text of a reference in an address, unlike that of any other feed. */
export function priceReferenceText(reference: PriceReference): string {
  switch (reference.kind) {
    case 'id':
      return reference.id;
    case 'router':
      return reference.routerId;
    case 'pair':
      return `${reference.routerId}:${reference.id}`;
    default:
      return reference.symbol;
  }
}

type Report = (param: string, value: string, message: string) => void;

/** Reads the query of `/prices`. What can't be read is reported, and the usual takes its place. */
export function parsePricesUrl(params: URLSearchParams): { view: PricesView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report: Report = (param, value, message) => problems.push({ param, value, message });
  const oneOf = <T extends string>(param: string, choices: readonly T[], usual: T): T => {
    const text = params.get(param);
    const choice = choices.find((one) => one === text);
    if (text !== null && choice === undefined) report(param, text, `It is one of ${choices.join(', ')}.`);
    return choice ?? usual;
  };
  const yesOrNo = (param: 'parsed' | 'verbose' | 'binary') =>
    oneOf(param, ['true', 'false'], 'true') === 'true' ? 'yes' : 'no';
  const at = readMoment(params, report);
  const view: PricesView = {
    feeds: readFeeds(params, report),
    ...(at === undefined ? {} : { at }),
    sources: readSources(params, report),
    channel: oneOf('channel', CHANNELS, USUAL_PRICES.channel),
    properties: readNames('properties', params, report),
    formats: readNames('formats', params, report),
    encoding: oneOf('encoding', ['hex', 'base64'], USUAL_PRICES.encoding),
    parsed: yesOrNo('parsed'),
    invalid: oneOf('ignore_invalid_price_ids', ['true', 'false'], 'true') === 'true' ? 'ignored' : 'refused',
    verbose: yesOrNo('verbose'),
    binary: yesOrNo('binary'),
    mode: oneOf('mode', ['table', 'json', 'curl'], USUAL_PRICES.mode),
  };
  for (const name of new Set(params.keys())) {
    if (!PARAMS.includes(name)) report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  return { view, problems };
}

const PARAMS = [
  ...['view', 'ids', 'at', 'sources', 'channel', 'properties', 'formats', 'encoding', 'parsed'],
  ...['ignore_invalid_price_ids', 'verbose', 'binary', 'mode'],
];

function partsOf(params: URLSearchParams, name: string): string[] {
  return params
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function readFeeds(params: URLSearchParams, report: Report): PriceReference[] {
  const feeds = new Map<string, PriceReference>();
  for (const text of partsOf(params, 'ids')) {
    const reference = parsePriceReference(text);
    if (reference !== undefined) feeds.set(priceReferenceText(reference).toLowerCase(), reference);
    else report('ids', text, 'A feed is given by its symbol, its router id, or an id of 64 hex digits.');
  }
  const left = feeds.size - MOST_LOOKED_UP;
  if (left > 0) {
    report('ids', `${feeds.size} feeds`, `At most ${MOST_LOOKED_UP} are looked up; ${left} are left out.`);
  }
  return [...feeds.values()].slice(0, MOST_LOOKED_UP);
}

const MOMENT_FORM =
  'A moment is an ISO time like 2026-11-20T12:00:00Z or unix seconds like 1795176000, both with up to six decimals.';

/** A moment: an ISO time (UTC where it names no zone) or unix seconds. Never microseconds without a point. */
export function parseMoment(text: string): UnixMicros | undefined {
  return parseSecondsText(text) ?? parseIsoMicros(text);
}

/** The first moment of the address. Links of former versions name several, or series `from/to/step`. */
function readMoment(params: URLSearchParams, report: Report): UnixMicros | undefined {
  let found: UnixMicros | undefined;
  for (const text of partsOf(params, 'at')) {
    if (text === 'now') continue;
    const us = parseMoment(text.split('/')[0] ?? '');
    if (us === undefined) report('at', text, MOMENT_FORM);
    else if (found !== undefined || text.includes('/')) {
      report('at', text, 'One moment is looked up at a time: the first.');
    }
    found ??= us;
  }
  return found;
}

function readSources(params: URLSearchParams, report: Report): LookupSource[] {
  if (!params.has('sources')) return [...USUAL_PRICES.sources];
  const named = partsOf(params, 'sources');
  for (const text of named) {
    if (!(LOOKUP_SOURCES as readonly string[]).includes(text)) {
      report('sources', text, `The sources are ${LOOKUP_SOURCES.join(', ')}.`);
    }
  }
  const found = LOOKUP_SOURCES.filter((source) => named.includes(source));
  return found.length === 0 ? [...USUAL_PRICES.sources] : found;
}

/** A word of the router's vocabulary: so it can stand in a command line too. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** Whether a text can be the name of a property or format. */
export function isRouterName(text: string): boolean {
  return NAME.test(text);
}

function readNames(param: 'properties' | 'formats', params: URLSearchParams, report: Report): string[] {
  if (!params.has(param)) return [...USUAL_PRICES[param]];
  const named = [...new Set(partsOf(params, param))];
  for (const text of named) {
    if (!isRouterName(text)) report(param, text, 'A name is letters and digits.');
  }
  return named.filter(isRouterName).slice(0, 40);
}

const BACK = { '%2F': '/', '%3A': ':', '%40': '@' } as const;

/** These may stand in a query as they are, and a person can read them. */
function readable(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:2F|3A|40)/g, (code) => BACK[code as keyof typeof BACK]);
}

/** The address of a lookup: `/prices`, or `/prices?ids=…&at=…` with only what is not as usual. */
export function formatPricesUrl(view: PricesView): '/prices' | `/prices?${string}` {
  const list = (texts: readonly string[]) => texts.map(readable).join(',');
  const other = <T>(value: T, usual: T, text: string) =>
    JSON.stringify(value) === JSON.stringify(usual) ? undefined : text;
  const flag = (name: 'parsed' | 'verbose' | 'binary') => (view[name] === 'yes' ? undefined : 'false');
  const pairs: [string, string | undefined][] = [
    ['ids', view.feeds.length === 0 ? undefined : list(view.feeds.map(priceReferenceText))],
    ['at', view.at === undefined ? undefined : readable(formatIsoMicros(view.at))],
    ['sources', other(view.sources, USUAL_PRICES.sources, list(view.sources))],
    ['channel', other(view.channel, USUAL_PRICES.channel, readable(view.channel))],
    ['properties', other(view.properties, USUAL_PRICES.properties, list(view.properties))],
    ['formats', other(view.formats, USUAL_PRICES.formats, list(view.formats))],
    ['encoding', other(view.encoding, USUAL_PRICES.encoding, view.encoding)],
    ['parsed', flag('parsed')],
    ['ignore_invalid_price_ids', view.invalid === 'ignored' ? undefined : 'false'],
    ['verbose', flag('verbose')],
    ['binary', flag('binary')],
    ['mode', other(view.mode, USUAL_PRICES.mode, view.mode)],
  ];
  const said = pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return said.length === 0 ? PRICES_PATH : `${PRICES_PATH}?${said.join('&')}`;
}
