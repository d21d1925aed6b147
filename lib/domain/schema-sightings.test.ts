import { describe, expect, test } from 'vitest';
import { readDeprecatedFeed, readFeedDirectoryRows, readUpdateBody } from './feed';
import type { Outcome } from './outcome';
import { readLogPage } from './request-record';
import { readRouterPrices, readRouterSymbols } from './router-price';
import {
  deprecatedSightings,
  directorySightings,
  logSightings,
  routerPriceSightings,
  symbolSightings,
  updateSightings,
} from './schema-sightings';
import type { Sighting } from './schema-surprises';

function seen<T>(read: Outcome<T>, sightings: (value: T) => Iterable<Sighting>): string[] {
  if (!read.ok) throw new Error(read.failure.detail);
  return [...sightings(read.value)].map(({ kind, name }) => `${kind} ${name}`);
}

const row = (state: string, rest = '') =>
  `{"network_id":"1","sequence":1,"created_at":"2026-11-20T00:00:00Z","state":${state}${rest}}`;
const logs = (...rows: string[]) =>
  seen(readLogPage(`{"requests":[${rows}],"total_results":1}`), logSightings);

describe('rows of the log', () => {
  test('as the contract and the observed services have them are no surprise', () => {
    const completed =
      '{"state":"completed","callback_failed":false,"gas_used":"21000","reveal_tx_hash":"0x1"}';
    expect(logs(row('{"state":"pending"}', ',"gas_limit":7,"provider":null'), row(completed))).toEqual([]);
  });

  test('unknown states, extra members, odd values and unreadable rows are told apart', () => {
    expect(logs(row('{"state":"parked","since":3}'))).toEqual(['unknown-state parked']);
    expect(logs(row('{"state":"pending","retries":3}', ',"mood":{"a":1}'))).toEqual([
      'extra-member requests[].mood',
      'extra-member requests[].state.retries',
    ]);
    expect(logs(row('{"state":"completed","gas_used":[]}', ',"gas_limit":-1'))).toEqual([
      'odd-value requests[].gas_limit',
      'odd-value requests[].state.gas_used',
    ]);
    expect(logs('7')).toEqual(['unreadable-row The row is not an object.']);
  });
});

const PRICE = '"price":"1","conf":"1","expo":-8,"publish_time":1';
const feed = (rest: string, price = PRICE) =>
  `{"id":"${'a1'.repeat(32)}","price":{${price}},"ema_price":{${PRICE}}${rest}}`;
const update = (...feeds: string[]) => seen(readUpdateBody(`{"parsed":[${feeds}]}`), updateSightings);

describe('price updates', () => {
  test('of the contract are no surprise, with null metadata too', () => {
    expect(
      update(feed(',"metadata":{"slot":1,"prev_publish_time":null,"proof_available_time":1}'), feed('')),
    ).toEqual([]);
  });

  test('extra members are told by their path, with every digit in the example', () => {
    const body = readUpdateBody(`{"parsed":[${feed(',"metadata":{"hops":18446744073709551615}')}]}`);
    if (!body.ok) throw new Error('unreadable');
    expect([...updateSightings(body.value)]).toEqual([
      { kind: 'extra-member', name: 'parsed[].metadata.hops', example: '18446744073709551615' },
    ]);
    expect(update(feed(',"mood":1', `${PRICE},"source":"x"`))).toEqual([
      'extra-member parsed[].price.source',
      'extra-member parsed[].mood',
    ]);
  });

  test('a million extra members of one answer are fifty', () => {
    const many = Array.from({ length: 1000 }, (_, n) => `"m${n}":${n}`).join();
    expect(update(feed(`,${many}`))).toHaveLength(50);
  });

  test('unreadable elements are told with what is wrong', () => {
    expect(update('{"id":"7"}')).toEqual(['unreadable-row id is not a feed id of 64 hex digits.']);
    expect(seen(readFeedDirectoryRows('[{"id":7}]'), directorySightings)).toHaveLength(1);
  });

  test('of the deprecated route are looked at too, its metadata and binary form are no surprise', () => {
    const usual = ',"metadata":{"emitter_chain":26,"price_service_receive_time":1,"slot":1},"vaa":"UE5B"';
    expect(seen(readDeprecatedFeed(feed(usual)), deprecatedSightings)).toEqual([]);
    expect(seen(readDeprecatedFeed(feed(',"mood":1,"metadata":{"hops":2}')), deprecatedSightings)).toEqual([
      'extra-member get_price_feed.mood',
      'extra-member get_price_feed.metadata.hops',
    ]);
  });

  test('and the rows of the feed directory, whose attributes may be any', () => {
    const row = `{"id":"${'a1'.repeat(32)}","attributes":{"colour":"red"},"mood":1}`;
    expect(seen(readFeedDirectoryRows(`[${row}]`), directorySightings)).toEqual(['extra-member [].mood']);
  });
});

describe('the router', () => {
  test('states, channels and members of symbols that nobody knows are told', () => {
    const symbol = (rest: string) => `[{"pyth_lazer_id":1,"min_publishers":3${rest}}]`;
    const of = (rest: string) => seen(readRouterSymbols(symbol(rest)), symbolSightings);
    expect(of(',"state":"stable","min_channel":"real_time"')).toEqual([]);
    expect(of(',"state":"asleep","min_channel":"weekly","mood":1')).toEqual([
      'unknown-state asleep',
      'odd-value [].min_channel',
      'extra-member [].mood',
    ]);
  });

  test('members of a price that nobody knows are told', () => {
    const prices = '{"parsed":{"priceFeeds":[{"priceFeedId":1,"price":"5","fundingRate":"1","mood":1},7]}}';
    expect(seen(readRouterPrices(prices), routerPriceSightings)).toEqual([
      'unreadable-row The element is not an object.',
      'extra-member parsed.priceFeeds[].mood',
    ]);
  });
});
