import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parsePricesUrl } from '@/lib/contract/codec/prices-url';
import { unixMicros } from '@/lib/domain/units';
import { lookupCallAsCurl } from './price-lookup-curl';
import { askAbout, numberedFeed } from './price-lookup-fakes';
import { planLookup } from './price-lookup-plan';

const at = unixMicros(1_795_176_000_000_001n);

describe('a lookup as curl', () => {
  it('has placeholders for address and key, and the path of the service', () => {
    const sources = ['updates', 'upgraded', 'deprecated'] as const;
    const commands = planLookup(askAbout(1, { at, options: { sources } })).calls.map(lookupCallAsCurl);
    const id = numberedFeed(1).feedId;
    const query = `ids%5B%5D=${id}&encoding=hex&parsed=true&ignore_invalid_price_ids=true`;
    expect(commands).toEqual([
      `curl -H "Authorization: Bearer $UPDATES_API_KEY" "$UPDATES_URL/v2/updates/price/1795176000?${query}"`,
      `curl -H "Authorization: Bearer $UPGRADED_UPDATES_API_KEY" "$UPGRADED_UPDATES_URL/v2/updates/price/1795176000?${query}"`,
      `curl -H "Authorization: Bearer $UPDATES_API_KEY" "$UPDATES_URL/api/get_price_feed?id=${id}&publish_time=1795176000&verbose=true&binary=true"`,
    ]);
  });

  it('comes out of a shell as it went in, whatever the address of the page said', () => {
    const { view } = parsePricesUrl(
      new URLSearchParams({ formats: "evm,$(id),'; id '", properties: 'price,`id`' }),
    );
    const { formats, properties } = view;
    const [call] = planLookup(
      askAbout(2, { at, options: { sources: ['router'], formats, properties } }),
    ).calls;
    if (call === undefined || call.request.method !== 'POST') throw new Error('no call');
    const script = lookupCallAsCurl(call).replace(/^curl/, 'printf "%s\\n"');
    const env = { ...process.env, ROUTER_URL: 'https://router.example', ROUTER_API_KEY: 'k' };
    const said = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
    expect(said.split('\n')).toEqual([
      '-H',
      'Authorization: Bearer k',
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"channel":"fixed_rate@1000ms","priceFeedIds":[1,2],"properties":["price"],"formats":["evm"],"timestamp":1795176000000001}',
      'https://router.example/v1/price',
      '',
    ]);
  });
});
