import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFailure, failureGroup } from './request-failure';
import type { RequestState } from './request-record';

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const errorString = (text: string) => {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  return `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
};
const NOTHING_LEFT = 'Error(string), its text cut off';
const panic = (code: number | bigint) => `0x4e487b71${word(code)}`;

const failedWith = (reason?: string) => decodeFailure({ state: { kind: 'failed', reason } });
const returned = (callbackReturnValue?: string) =>
  decodeFailure({ state: { kind: 'completed', callback: 'failed', callbackReturnValue } });

it.each<RequestState>([
  { kind: 'pending' },
  { kind: 'completed', callback: 'ok', callbackReturnValue: '0x1c26714c' },
  { kind: 'completed', callback: 'unknown' },
  { kind: 'unknown', wireName: 'failed-ish' },
])('has no failure where nothing failed: %j', (state) => {
  expect(decodeFailure({ state })).toBeUndefined();
});

describe('the return value of a failed callback', () => {
  it('decodes the text of a require', () => {
    const text = 'Game: round is over 🎲';
    const error = { selector: '0x08c379a0', name: 'Error(string)', text };
    expect(returned(errorString(text))).toMatchObject(error);
  });

  it('decodes the beginning of a text that was cut off at 256 bytes', () => {
    const cut = errorString('x'.repeat(400)).slice(0, 2 + 512);
    expect(returned(cut)).toMatchObject({ text: `${'x'.repeat(256 - 4 - 64)}…`, raw: cut });
  });

  it.each([
    [0x11, 'Panic 0x11: arithmetic overflow or underflow'],
    [0x12, 'Panic 0x12: division or modulo by zero'],
    [0x32, 'Panic 0x32: an index is out of bounds'],
    [0x00, 'Panic 0x00: a panic that the compiler inserted'],
  ])('decodes a panic with its code: %i', (code, text) => {
    expect(returned(panic(code))).toMatchObject({ name: 'Panic(uint256)', text });
  });

  it('decodes a panic with an unknown code', () => {
    expect(returned(panic(2n ** 255n))).toMatchObject({
      text: `Panic 0x8${'0'.repeat(63)}`,
      meaning: expect.stringContaining('Not in the Solidity'),
    });
  });

  it.each(['0x', '', '  0X '])('names no cause for an empty value, whatever the gas was: %j', (value) => {
    expect(returned(value)).toEqual({ text: 'Reverted without data', raw: value });
  });

  it('names a known error by its selector, in any case and without 0x', () => {
    const meaning = 'Not enough gas to run the callback with the wanted amount.';
    const error = { selector: '0x1c26714c', name: 'InsufficientGas', meaning, text: 'InsufficientGas' };
    for (const raw of ['0x1C26714C', '1c26714c']) expect(returned(raw)).toEqual({ ...error, raw });
  });

  it('shows an unknown selector as it is', () => {
    const raw = '0xdeadbeef00';
    expect(returned(raw)).toEqual({ selector: '0xdeadbeef', text: raw, raw });
    expect(returned('0xde')).toEqual({ text: '0xde', raw: '0xde' });
    expect(returned('not hex')).toEqual({ text: 'not hex', raw: 'not hex' });
  });

  it('says that no value was logged', () => {
    expect(returned(undefined)).toMatchObject({ raw: '', text: 'Callback reverted, no return value logged' });
  });
});

describe('the reason of a failed request', () => {
  it('is decoded after its prefix', () => {
    expect(failedWith('Reverted: 0x5e5b3f1b')).toEqual({
      selector: '0x5e5b3f1b',
      name: 'UpdateTooOld',
      meaning: 'A newer commitment is already revealed.',
      text: 'UpdateTooOld',
      raw: 'Reverted: 0x5e5b3f1b',
    });
    expect(failedWith(`Reverted: ${errorString('Entropy: gas')}`)).toMatchObject({ text: 'Entropy: gas' });
  });

  it('keeps the words around a selector', () => {
    const text = 'execution failed (data: 0xc4237352)';
    expect(failedWith(`Reverted: ${text}`)).toMatchObject({ name: 'NoSuchRequest', text });
  });

  it.each([
    ...['ab'.repeat(32), 'ab'.repeat(20), 'abcdef01'].map((hex) => `Error in transaction 0x${hex}: dropped`),
    'Error making RPC call: (code: -32000, message: header not found, data: None)',
  ])('shows the text of the service where it holds no selector: %s', (reason) => {
    expect(failedWith(reason)).toEqual({ text: reason, raw: reason });
  });

  it.each([undefined, '', '  '])('says that no reason was logged: %j', (reason) => {
    expect(failedWith(reason)).toEqual({ text: 'No reason logged', raw: reason ?? '' });
  });
});

it('shows a value of blanks and one mark as it is, however long it is', () => {
  const value = `${' '.repeat(100_000)}!`;
  expect(returned(value)).toEqual({ text: value, raw: value });
});

it('shows hex of millions of digits within a text as it is', () => {
  const reason = `Reverted: it said 0x${'1'.repeat(12_000_000)} and no more`;
  expect(failedWith(reason)?.text).toBe(reason.slice('Reverted: '.length));
});

describe('any text', () => {
  const hexish = fc.stringMatching(
    /^(Reverted: )?(0x)?(08c379a0|4e487b71|1c26714c)?[0-9a-f]{0,300}( .{0,20})?$/,
  );
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), hexish);

  it('is decoded without an exception, with the raw value beside it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const failure of [failedWith(text), returned(text)]) {
          expect(failure?.raw).toBe(text);
          expect(failure?.text).toBeTypeOf('string');
          expect(failure?.selector ?? '0x00000000').toMatch(/^0x[0-9a-f]{8}$/);
        }
      }),
    );
  });

  it('decodes a prefix of a require’s text without half characters, wherever the data is cut off', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.nat(), (text, index) => {
        const whole = errorString(text);
        const head = 2 + 8 + 128;
        const end = whole.length;
        const read = returned(whole.slice(0, head + (index % (end - head))))?.text.replace(/…$/, '') ?? '';
        expect(text.startsWith(read) || read === NOTHING_LEFT).toBe(true);
      }),
    );
  });

  it('marks a text as truncated whose length exceeds the data', () => {
    const claimed = `0x08c379a0${word(32)}${word(2n ** 255n)}${Buffer.from('abc').toString('hex')}`;
    expect(returned(claimed)?.text).toBe('abc…');
    expect(returned(`0x08c379a0${word(4096)}${word(1)}`)?.text).toBe(NOTHING_LEFT);
  });

  it('decodes every text of a require exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (text) => {
        expect(returned(errorString(text))?.text).toBe(text);
        expect(failedWith(`Reverted: ${errorString(text)}`)?.text).toBe(text);
      }),
    );
  });
});

const selectorOf = (signature: string) =>
  `0x${bytesToHex(keccak_256(new TextEncoder().encode(signature))).slice(0, 8)}`;

it.each(['InsufficientFee', 'Unauthorized', 'NoSuchRequest', 'NoSuchProvider'])(
  'selectors of the contract’s errors match their signatures: %s',
  (name) => {
    expect(returned(selectorOf(`${name}()`))?.name).toBe(name);
  },
);

describe('the group of a failure', () => {
  const address = `0x${'aB'.repeat(20)}`;
  const hash = '4f'.repeat(32);
  it.each([
    ['Not enough balance: 17 of 20.5', 'Not enough balance: # of #'],
    ['Not enough balance: 1,700 of 20_000', 'Not enough balance: # of #'],
    [`${address} may not call ${address}`, '0x… may not call 0x…'],
    [`transaction ${hash} reverted`, 'transaction 0x… reverted'],
    [`transaction ${hash.toUpperCase()} reverted`, 'transaction 0x… reverted'],
    ['a 12345678901234567890 b', 'a # b'],
    ['deadbeefdeadbeef has no digit', 'deadbeefdeadbeef has no digit'],
    ['code  deadbeef\n7', 'code deadbeef #'],
    ['Reverted: 0x1c26714c', 'InsufficientGas'],
    [`0xDEADBEEF${'0'.repeat(63)}1`, '0xdeadbeef'],
    [`0xdeadbeef${'0'.repeat(63)}2`, '0xdeadbeef'],
    ['0xfeedbeef', '0xfeedbeef'],
    ['0x12', '0x…'],
    ['execution reverted: custom error 0xdeadbeef: 7', 'execution reverted: custom error 0xdeadbeef: #'],
    [
      'Transaction was submitted, but never confirmed. Hash: 0x6902…3586',
      'Transaction was submitted, but never confirmed. Hash: 0x…',
    ],
    ['', 'No reason logged'],
    ['x'.repeat(2000), 'x'.repeat(120)],
  ])('%s', (reason, group) => {
    expect(failureGroup({ state: { kind: 'failed', reason } })).toBe(group);
  });

  it('is undefined for a request that did not fail', () => {
    expect(failureGroup({ state: { kind: 'pending' } })).toBeUndefined();
    expect(failureGroup({ state: { kind: 'completed', callback: 'ok' } })).toBeUndefined();
  });
});
