import { describe, expect, it } from 'vitest';
import { parseFeedId } from '@/lib/core/feed';
import type { PriceMessage } from './decode';
import { generationMeaning, memberMeaning, offsetWords, secondsAsIso, sizeWords } from './labels';

const id = parseFeedId('ab'.repeat(32));
if (id === undefined) throw new Error('no id');
const message: PriceMessage = {
  ...{ kind: 'price', id, price: -9_223_372_036_854_775_808n, conf: 18_446_744_073_709_551_615n, expo: -8 },
  ...{ publishTimeS: 1_690_576_635n, prevPublishTimeS: -1n, emaPrice: 5n, emaConf: 0n, trailingBytes: 0 },
};

describe('words about payloads', () => {
  it('give every digit of the widest prices', () => {
    expect(memberMeaning('price.price', message)).toBe('-92233720368.54775808');
    expect(memberMeaning('price.conf', message)).toBe('184467440737.09551615');
    expect(memberMeaning('price.expo', message)).toBeUndefined();
  });

  it('name the date of seconds that have one', () => {
    expect(secondsAsIso(1_690_576_635n)).toBe('2023-07-28T20:37:15Z');
    expect(memberMeaning('metadata.prev_publish_time', message)).toBeUndefined();
    expect(secondsAsIso(9_223_372_036_854_775_807n)).toBeUndefined();
  });

  it('promise of no payload that a contract accepts it', () => {
    expect(generationMeaning('upgraded')).toBe(
      'Only the upgraded contract can accept it, if the signers are its guardians.',
    );
    expect(generationMeaning('before-upgrade')).toContain('Only the contract from before the upgrade can');
    expect(generationMeaning('unknown')).toBe('No contract can be expected to accept it.');
  });

  it('write sizes and offsets', () => {
    expect([sizeWords(1), sizeWords(1211)]).toEqual(['1 byte', '1,211 bytes']);
    expect(offsetWords(874)).toBe('byte 874 (0x36a)');
  });
});
