import type { DeprecatedFeed, FeedDirectory, UpdateBody } from './feed';
import type { LogPage, LogRow, RequestRecord } from './request-record';
import { CHANNELS, type RouterPrices, type RouterSymbol, type RouterSymbols } from './router-price';
import type { Sighting } from './schema-surprises';

/** What a log list holds that the contract does not know. */
export function* logSightings({ rows }: LogPage): Generator<Sighting> {
  for (const row of rows) yield* rowSightings(row);
}

function* rowSightings(row: LogRow): Generator<Sighting> {
  if (row.kind === 'unreadable') {
    yield unreadable(row);
    return;
  }
  const { state, extra, rawJson } = row;
  if (state.kind === 'unknown') yield { kind: 'unknown-state', name: state.wireName, example: rawJson };
  for (const name in extra) yield* recordMember(name, extra[name] ?? '', row);
}

/** Members of a record of the contract that are in `RequestRecord.extra` when they can't be read. */
const RECORD_MEMBERS = new Set([
  'chain_id',
  'last_updated_at',
  'gas_limit',
  'provider',
  'sender',
  'request_block_number',
  'request_tx_hash',
  'user_random_number',
]);

/** The same for the members that each state was observed to have. */
const STATE_MEMBERS: Record<'pending' | 'completed' | 'failed', ReadonlySet<string>> = {
  pending: new Set(),
  completed: new Set([
    'state.reveal_block_number',
    'state.reveal_tx_hash',
    'state.provider_random_number',
    'state.gas_used',
    'state.combined_random_number',
    'state.callback_failed',
    'state.callback_return_value',
    'state.callback_gas_used',
  ]),
  failed: new Set(['state.reason', 'state.provider_random_number']),
};

function* recordMember(name: string, json: string, { state }: RequestRecord): Generator<Sighting> {
  const ofState = name.startsWith('state.');
  // What a state carries that nobody knows is part of that surprise, not another one.
  if (ofState && state.kind === 'unknown') return;
  const odd = (state.kind !== 'unknown' && STATE_MEMBERS[state.kind].has(name)) || RECORD_MEMBERS.has(name);
  yield { kind: odd ? 'odd-value' : 'extra-member', name: `requests[].${name}`, example: json };
}

/** What an update body holds that the contract does not know. */
export function* updateSightings({ unreadable: rows, extra = [] }: UpdateBody): Generator<Sighting> {
  for (const row of rows) yield unreadable(row);
  for (const { path, json } of extra) yield { kind: 'extra-member', name: path, example: json };
}

/** What an answer of the deprecated route holds that the contract does not know. */
export function* deprecatedSightings({ extra = [] }: DeprecatedFeed): Generator<Sighting> {
  for (const { path, json } of extra) yield { kind: 'extra-member', name: path, example: json };
}

/** Rows of the feed directory; its attributes are open by the contract's own words. */
export function* directorySightings({ unreadable: rows, extra = [] }: FeedDirectory): Generator<Sighting> {
  for (const row of rows) yield unreadable(row);
  for (const { path, json } of extra) yield { kind: 'extra-member', name: path, example: json };
}

/** Members of a symbol that were observed and have no place in `RouterSymbol`. */
const SYMBOL_MEMBERS = new Set(['min_publishers', 'quote_currency', 'interval', 'cmc_id']);
const SYMBOL_STATES = new Set(['stable', 'coming_soon', 'inactive']);

/** What the router's symbol list holds that the contract does not know. */
export function* symbolSightings({ symbols, unreadable: rows }: RouterSymbols): Generator<Sighting> {
  for (const row of rows) yield unreadable(row);
  for (const symbol of symbols) yield* oneSymbol(symbol);
}

function* oneSymbol({ routerId, state, minChannel, extra }: RouterSymbol): Generator<Sighting> {
  const example = (member: string, value: string) =>
    JSON.stringify({ pyth_lazer_id: routerId, [member]: value });
  if (state !== undefined && !SYMBOL_STATES.has(state))
    yield { kind: 'unknown-state', name: state, example: example('state', state) };
  if (minChannel !== undefined && !(CHANNELS as readonly string[]).includes(minChannel))
    yield { kind: 'odd-value', name: '[].min_channel', example: example('min_channel', minChannel) };
  for (const name in extra) {
    if (!SYMBOL_MEMBERS.has(name))
      yield { kind: 'extra-member', name: `[].${name}`, example: extra[name] ?? '' };
  }
}

/** Properties of a price that were observed and have no place in `RouterFeedPrice`. */
const PRICE_MEMBERS = new Set(['fundingRate', 'fundingTimestamp', 'fundingRateInterval']);

/** What a price answer of the router holds that the contract does not know. */
export function* routerPriceSightings({ prices, unreadable: rows }: RouterPrices): Generator<Sighting> {
  for (const row of rows) yield unreadable(row);
  for (const { extra } of prices) {
    for (const name in extra) {
      if (PRICE_MEMBERS.has(name)) continue;
      yield { kind: 'extra-member', name: `parsed.priceFeeds[].${name}`, example: extra[name] ?? '' };
    }
  }
}

function unreadable({ problem, rawJson }: { problem: string; rawJson: string }): Sighting {
  return { kind: 'unreadable-row', name: problem, example: rawJson };
}
