import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeProvider, decodeRequest, decodeRequestV2, decodeReveals } from './contract';
import { readBlock, readBytes, readEvents, readQuantity, readReceipt } from './read';

const HASH = `0x${'ab'.repeat(32)}`;

describe('readers of a node', () => {
  test('accept quantities with every digit, and no JSON number', () => {
    expect(readQuantity('0x1000000000000000000001')).toBe(0x1000000000000000000001n);
    expect([7, '7', '0x', '0xg', null, `0x${'f'.repeat(65)}`, {}].map(readQuantity)).toEqual(
      Array(7).fill(undefined),
    );
  });

  test('accept only complete bytes, and return them in lower case', () => {
    expect([readBytes('0xAB'), readBytes('0x'), readBytes('0xa'), readBytes(1)]).toEqual([
      '0xab',
      '0x',
      undefined,
      undefined,
    ]);
  });

  test('accept only a block whose time fits into a date', () => {
    expect(readBlock({ number: '0x10', timestamp: '0x64' })).toEqual({ number: 16n, timeMs: 100_000 });
    expect(readBlock({ number: '0x10', timestamp: `0x${'f'.repeat(40)}` })).toBeUndefined();
    expect([null, [], 'x', { number: '0x1' }].map(readBlock)).toEqual(Array(4).fill(undefined));
  });

  test('accept only a receipt that says whether it reverted', () => {
    expect(readReceipt({ blockNumber: '0x1', status: '0x0', from: 'nobody' })).toEqual({
      block: 1n,
      isReverted: true,
    });
    expect(readReceipt({ blockNumber: '0x1', status: '0x2' })).toBeUndefined();
    expect(readReceipt({ blockNumber: null, status: '0x1' })).toBeUndefined();
  });

  test('leave out events that were removed or are unreadable', () => {
    const event = { topics: [HASH], data: '0x', blockNumber: '0x1', transactionHash: HASH };
    const others = [{ ...event, removed: true }, { ...event, topics: ['0x1'] }, null, { ...event, data: 7 }];
    expect(readEvents([event, ...others])).toEqual([{ topics: [HASH], data: '0x', block: 1n, tx: HASH }]);
    expect(readEvents({})).toBeUndefined();
  });

  test('never throw on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readBlock(value);
        readReceipt(value);
        readEvents(value);
        readEvents([value, { topics: value, data: value, blockNumber: value, transactionHash: value }]);
        readQuantity(value);
        readBytes(value);
      }),
      { numRuns: 500 },
    );
  });

  test('and their decoders never throw on any bytes', () => {
    const bytes = fc
      .uint8Array({ maxLength: 600 })
      .map((array) => `0x${Buffer.from(array).toString('hex')}` as const);
    const id = { provider: `0x${'52'.repeat(20)}`, sequence: 7n } as const;
    fc.assert(
      fc.property(bytes, fc.array(bytes, { maxLength: 4 }), (data, topics) => {
        decodeRequest(data);
        decodeRequestV2(data);
        decodeProvider(data);
        decodeReveals([{ topics, data, block: 1n, tx: HASH }], id);
      }),
      { numRuns: 500 },
    );
  });
});
