import { describe, expect, it } from 'vitest';
import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { unixMicros } from '@/lib/domain/units';
import type { LookupCall } from './price-lookup';
import { askAbout } from './price-lookup-fakes';
import { lookupCall } from './price-lookup-plan';
import { readLookupAnswer } from './price-lookup-read';

const NOON = unixMicros(1_795_176_000_000_000n);
const ask = askAbout(3, { at: NOON });
const [first, second, third] = ask.feeds;
const call = (source: LookupSource): LookupCall => lookupCall(ask, source, ask.feeds);

function read(source: LookupSource, text: string) {
  const answer = readLookupAnswer(call(source), text, 5);
  if (!answer.ok) throw new Error(answer.failure.detail);
  return { ...answer.value, of: (n: number) => answer.value.cells.get(ask.feeds[n - 1]?.key ?? '') };
}

const price =
  '{"price":"-9007199254740993","conf":"18446744073709551615","expo":-8,"publish_time":1795176001}';

describe('an answer of the update service', () => {
  it('keeps every digit, and tells feeds that it leaves out or that can’t be read', () => {
    const good = `{"id":"${first?.feedId}","price":${price},"ema_price":${price},"metadata":{"slot":18446744073709551615}}`;
    const bad = `{"id":"0x${second?.feedId?.toUpperCase()}","price":null}`;
    const { of, payloads, strangers } = read(
      'updates',
      `{"binary":{"encoding":"hex","data":["aa","bb"]},"parsed":[${good},${bad},7]}`,
    );
    expect(of(1)).toMatchObject({
      kind: 'quote',
      quote: {
        price: { mantissa: -9_007_199_254_740_993n, expo: -8 },
        conf: { mantissa: 18_446_744_073_709_551_615n },
        publishUs: NOON + 1_000_000n,
        askedUs: NOON,
        facts: [{ name: 'slot', value: '18446744073709551615', form: 'text' }],
      },
    });
    expect(of(2)).toMatchObject({ kind: 'unreadable', problem: 'price is not a price object.' });
    expect(of(3)).toEqual({ kind: 'absent' });
    expect(payloads.map(({ data }) => data)).toEqual(['aa', 'bb']);
    expect(strangers).toBe(1);
  });

  it('without its parsed form is said to be so', () => {
    const { of } = read('upgraded', '{"binary":{"encoding":"base64","data":["AA=="]}}');
    expect(of(1)).toMatchObject({ kind: 'binary-only' });
  });

  it('that is none is a failure of that service', () => {
    expect(readLookupAnswer(call('upgraded'), '{}', 5)).toMatchObject({
      failure: { kind: 'malformed', service: 'upgraded' },
    });
  });
});

describe('an answer of the deprecated route', () => {
  it('holds the verbose and the binary members', () => {
    const metadata =
      '{"emitter_chain":26,"prev_publish_time":1795175999,"price_service_receive_time":1795176002,"slot":7}';
    const { of, payloads } = read(
      'deprecated',
      `{"id":"${first?.feedId}","price":${price},"ema_price":${price},"metadata":${metadata},"vaa":"UE5BVQ=="}`,
    );
    const cell = of(1);
    const facts = cell?.kind === 'quote' ? cell.quote.facts : [];
    expect(Object.fromEntries(facts.map(({ name, value }) => [name, value]))).toEqual({
      slot: '7',
      prev_publish_time: '1795175999',
      emitter_chain: '26',
      price_service_receive_time: '1795176002',
      vaa: 'UE5BVQ==',
    });
    expect(payloads).toEqual([{ format: 'vaa', encoding: 'base64', data: 'UE5BVQ==' }]);
    expect(of(2)).toEqual({ kind: 'absent' });
  });
});

describe('an answer of the router', () => {
  it('is scaled by its own exponent, else by the directory’s, and without any it is no price', () => {
    const feeds = [
      '{"priceFeedId":1,"price":"123456789012345678901","exponent":-9,"confidence":5,"feedUpdateTimestamp":1795176000250000,"odd":[1.10]}',
      '{"priceFeedId":2,"price":777}',
    ];
    const { of, payloads } = read(
      'router',
      `{"parsed":{"timestampUs":"1795176000300000","priceFeeds":[${feeds.join(',')}]},"evm":{"encoding":"hex","data":"00"}}`,
    );
    expect(of(1)).toMatchObject({
      quote: {
        price: { mantissa: 123_456_789_012_345_678_901n, expo: -9 },
        conf: { mantissa: 5n, expo: -9 },
        publishUs: NOON + 250_000n,
      },
    });
    const odd = of(1);
    expect(odd?.kind === 'quote' ? odd.quote.facts.at(-1) : undefined).toMatchObject({
      name: 'odd',
      value: '[1.10]',
    });
    expect(of(2)).toMatchObject({
      quote: { price: { mantissa: 777n, expo: -2 }, publishUs: NOON + 300_000n },
    });
    expect(of(3)).toEqual({ kind: 'absent' });
    expect(payloads).toHaveLength(1);
    const blind = {
      ...call('router'),
      feeds: [{ ...third, key: 'x', symbol: 'x', routerId: '2', exponent: undefined }],
    };
    const answer = readLookupAnswer(
      blind as unknown as LookupCall,
      `{"parsed":{"timestampUs":"1","priceFeeds":[${feeds[1]}]}}`,
      5,
    );
    const cell = answer.ok ? answer.value.cells.get('x') : undefined;
    expect(cell).toMatchObject({ kind: 'quote', quote: { facts: [{ value: '777' }, {}] } });
    expect(cell?.kind === 'quote' ? cell.quote.price : 0).toBeUndefined();
  });
});
