import { describe, expect, it } from 'vitest';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { addressRefusal } from './address-limit';

const senders = (count: number) =>
  Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, '0')}`);
const refusalOf = (change: object) =>
  addressRefusal(formatRequestsUrl({ ...defaultRequestsView(), ...change }));

describe('the address of a view', () => {
  it('accepts 330 senders, or 21 failures of 81 Chinese characters', () => {
    expect(refusalOf({ senders: senders(330) })).toBeUndefined();
    expect(
      refusalOf({ failures: senders(21).map((sender) => `${'\u6c49'.repeat(81)}${sender.slice(-2)}`) }),
    ).toBeUndefined();
  });

  it('is refused beyond 31,000 characters, with its length', () => {
    expect(refusalOf({ q: 'a'.repeat(31_000 - '/requests?q='.length) })).toBeUndefined();
    expect(refusalOf({ q: 'a'.repeat(31_001 - '/requests?q='.length) })).toMatch(
      /31,001 characters; 31,000 are possible/,
    );
  });

  it('is refused beyond 580 values', () => {
    const networks = Array.from({ length: 581 }, (_, index) => String(index + 1));
    expect(refusalOf({ networks: networks.slice(1) })).toBeUndefined();
    expect(refusalOf({ networks })).toMatch(/At most 580 filter values/);
  });
});
