import {
  createParser,
  createSerializer,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsNativeArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import { CHANNELS } from '@/lib/core/router-price';
import { parseIsoMicros, parseSecondsText, type UnixMicros } from '@/lib/core/time';

/** The state of `/prices`. It is held by the address alone. */

/** Columns, in order. `deprecated` is the single-feed route of the old host. */
export const LOOKUP_SOURCES = ['updates', 'upgraded', 'deprecated', 'router'] as const;
export type LookupSource = (typeof LOOKUP_SOURCES)[number];

/** Properties that are known of routers; others can be requested by name. */
export const ROUTER_PROPERTIES =
  'price bestBidPrice bestAskPrice publisherCount exponent confidence fundingRate fundingTimestamp fundingRateInterval marketSession emaPrice emaConfidence feedUpdateTimestamp'.split(
    ' ',
  );
export const ROUTER_FORMATS = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];

/** Limit of feeds: as many as fit into the address of one call. */
export const MAX_LOOKED_UP = 100;

/** The pattern is safe in a command line. */
const parseAsRouterNames = parseAsArrayOf(
  createParser({
    parse: (text) => (/^[A-Za-z]\w{0,39}$/.test(text) ? text : null),
    serialize: (name: string) => name,
  }),
);

export const lookupParsers = {
  /** Symbols, hex ids, router ids, or both ids as `1:e62d…`; if absent, the feeds of the board. */
  ids: parseAsArrayOf(parseAsString),
  /** ISO time or unix seconds; if absent, now. */
  at: parseAsString,
  // The deprecated route is off by default.
  sources: parseAsArrayOf(parseAsStringLiteral(LOOKUP_SOURCES)).withDefault([
    'updates',
    'upgraded',
    'router',
  ]),
  // The slowest channel, which every feed supports.
  channel: parseAsStringLiteral(CHANNELS).withDefault('fixed_rate@1000ms'),
  properties: parseAsRouterNames.withDefault(ROUTER_PROPERTIES.filter((name) => !name.startsWith('funding'))),
  formats: parseAsRouterNames.withDefault([]),
  encoding: parseAsStringLiteral(['hex', 'base64']).withDefault('hex'),
  parsed: parseAsBoolean.withDefault(true),
  ignore_invalid_price_ids: parseAsBoolean.withDefault(true),
  verbose: parseAsBoolean.withDefault(true),
  binary: parseAsBoolean.withDefault(true),
  mode: parseAsStringLiteral(['table', 'json', 'curl']).withDefault('table'),
  /** Figures of the table: those that differ between sources, or all. */
  figures: parseAsStringLiteral(['differing', 'all']).withDefault('differing'),
};

export type LookupView = inferParserType<typeof lookupParsers>;

/** Default values are left out. */
export const lookupUrl = createSerializer(lookupParsers) as unknown as (
  base: '/prices',
  view: Partial<LookupView>,
) => `/prices?${string}`;

/** ISO time (UTC without a zone) or unix seconds, up to six decimals. */
export function parseMoment(text: string): UnixMicros | undefined {
  return parseSecondsText(text) ?? parseIsoMicros(text);
}

/** Undefined if unreadable. Old links may name several moments, of which the first is used. */
export function momentOfView(at: string | null): UnixMicros | 'now' | undefined {
  const [first = ''] = (at ?? 'now').split(/[,/]/);
  return first === 'now' || first === '' ? 'now' : parseMoment(first.trim());
}

/** `best`: best match first. */
const SYMBOL_SORTS = ['best', 'symbol', 'class', 'state', 'channel', 'router'] as const;
export type SymbolSort = (typeof SYMBOL_SORTS)[number];

/** Filters, by their name in the address. */
export const SYMBOL_FACETS = ['class', 'state', 'channel'] as const;
export type SymbolFacet = (typeof SYMBOL_FACETS)[number];

/** Values as the services spell them; '' stands for unknown. */
export const symbolParsers = {
  find: parseAsString.withDefault(''),
  class: parseAsNativeArrayOf(parseAsString).withDefault([]),
  state: parseAsNativeArrayOf(parseAsString).withDefault([]),
  channel: parseAsNativeArrayOf(parseAsString).withDefault([]),
  sort: parseAsStringLiteral(SYMBOL_SORTS).withDefault('best'),
  order: parseAsStringLiteral(['ascending', 'descending']).withDefault('ascending'),
};

export type SymbolsView = inferParserType<typeof symbolParsers>;
