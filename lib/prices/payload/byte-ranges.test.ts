import { expect, it } from 'vitest';
import { byteRanges, partOfMember, rangeAt } from './byte-ranges';
import { comparePayloadWithParsed } from './compare';
import { decodeOrThrow, vectorBytes } from './vector-fixture';

it('the ranges cover the payload without overlap, and every member has one', () => {
  const update = decodeOrThrow(vectorBytes());
  const ranges = byteRanges(update);
  expect(ranges[0]?.from).toBe(0);
  expect(ranges.at(-1)?.to).toBe(update.bytes.length);
  for (const [at, { from }] of ranges.entries()) if (at > 0) expect(from).toBe(ranges[at - 1]?.to);
  const [comparison] = comparePayloadWithParsed(update, []);
  const lengths = (comparison?.members ?? []).map(({ member }) => {
    const range = rangeAt(ranges, update.offsets.get(partOfMember(member, 'of update 1 of 1')));
    return [member, range && range.to - range.from];
  });
  expect(Object.fromEntries(lengths)).toEqual({
    Price: 8,
    Confidence: 8,
    Exponent: 4,
    'Publish time': 8,
    'EMA price': 8,
    'EMA confidence': 8,
    'EMA exponent': 4,
    'EMA publish time': 8,
    'Previous publish time': 8,
    Slot: 8,
  });
});
