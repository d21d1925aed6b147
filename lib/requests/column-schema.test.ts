import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HASH, PROVIDER, recordWith } from '@/lib/core/log-row-fixture';
import type { ListedRecord } from '@/lib/requests/requests-response';
import { cellText, percentOf } from './column-schema';
import { COLUMN_IDS } from './columns';

const listed = (change: Record<string, string | undefined> = {}): ListedRecord => ({
  ...recordWith(change),
  keeper: 'main',
});

const COMPLETED = JSON.stringify({
  state: 'completed',
  reveal_tx_hash: `0x${'ef'.repeat(32)}`,
  provider_random_number: '01ab',
  gas_used: '123456',
  combined_random_number: 'cafe',
  callback_failed: true,
  callback_return_value: '0x1c26714c',
});

describe('the text of a cell', () => {
  it('is the whole value of every column', () => {
    const record = listed({ state: COMPLETED });
    expect(Object.fromEntries(COLUMN_IDS.map((id) => [id, cellText(record, id)]))).toEqual({
      keeper: 'main',
      network: '42161',
      sequence: '18446744073709551615',
      created: '2026-11-20T08:05:03.123456789Z',
      updated: '2026-11-20T08:05:05Z',
      duration: '1877',
      state: 'callback-failed',
      sender: `0x${'11'.repeat(20)}`,
      provider: PROVIDER,
      'request-tx': HASH,
      'reveal-tx': `0x${'ef'.repeat(32)}`,
      block: '123456',
      'gas-limit': '500000',
      'gas-used': '123456',
      'gas-share': '24.69',
      failure: '0x1c26714c',
      'user-random': '00ff',
      'provider-random': '01ab',
      'random-number': 'cafe',
    });
  });

  it('is undefined without a value from the service', () => {
    const bare = listed({ sender: undefined, gas_limit: 'null', last_updated_at: undefined });
    for (const id of ['sender', 'gas-limit', 'updated', 'gas-share', 'failure', 'reveal-tx'] as const) {
      expect(cellText(bare, id)).toBeUndefined();
    }
  });

  it('of an age depends on the current time', () => {
    const pending = listed();
    expect(cellText(pending, 'duration')).toBeUndefined();
    expect(cellText(pending, 'duration', pending.createdAt.ms + 5000)).toBe('5000');
  });

  it('of a failure is the reason, and a failed request keeps the provider’s part', () => {
    const failed = listed({
      state: '{"state":"failed","reason":"Reverted: 0x1c26714c","provider_random_number":null}',
    });
    expect(cellText(failed, 'failure')).toBe('Reverted: 0x1c26714c');
    expect(cellText(failed, 'provider-random')).toBeUndefined();
  });

  it('of an unknown state is its wire name, and an unreadable row has none', () => {
    expect(cellText(listed({ state: '{"state":"levitating"}' }), 'state')).toBe('levitating');
    const unreadable = { kind: 'unreadable', key: 'k', rawJson: '{}', problem: 'p', keeper: 'main' } as const;
    expect(cellText(unreadable, 'keeper')).toBeUndefined();
  });
});

describe('the gas share', () => {
  it.each([
    ['98500', '100000', '98.50'],
    ['158233', '100000', '158.23'],
    ['2', '3', '66.66'],
    ['999999', '1000000', '99.99'],
    ['1000000', '1000000', '100.00'],
    ['0', '5', '0.00'],
    ['5', '0', undefined],
    [undefined, '5', undefined],
    ['5', undefined, undefined],
    ['-5', '5', undefined],
    ['9'.repeat(1_000_000), '5', undefined],
  ])('of %.20s in %s is %s: never rounded up to the limit', (used, limit, percent) => {
    expect(percentOf(used, limit)).toBe(percent);
  });

  it('is exact for figures of any size', () => {
    const figure = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(figure, figure, (used, limit) => {
        const hundredths = BigInt((percentOf(String(used), String(limit)) ?? '').replace('.', ''));
        expect(hundredths * limit <= used * 10_000n && used * 10_000n < (hundredths + 1n) * limit).toBe(true);
      }),
    );
  });
});
