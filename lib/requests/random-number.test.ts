import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyRandomNumber, wordDigits } from './random-number';

const USER = '11'.repeat(32);
const PROVIDER = 'ab'.repeat(32);
const COMBINED = bytesToHex(keccak_256(hexToBytes(USER + PROVIDER + '00'.repeat(32))));
const numbers = { user: USER, provider: PROVIDER, combined: COMBINED };

describe('a random number', () => {
  it('is verified when it is the hash of both contributions, with or without 0x and in any case', async () => {
    expect(await verifyRandomNumber(numbers)).toEqual({ kind: 'verified', computed: COMBINED });
    const written = {
      user: `0x${USER}`,
      provider: `0x${PROVIDER.toUpperCase()}`,
      combined: COMBINED.toUpperCase(),
    };
    expect(await verifyRandomNumber(written)).toMatchObject({ kind: 'verified' });
  });

  it('does not match if any digit of the three differs', async () => {
    const digit = fc.record({
      name: fc.constantFrom('user', 'provider', 'combined'),
      at: fc.nat(63),
    } as const);
    await fc.assert(
      fc.asyncProperty(digit, async ({ name, at }) => {
        const text = numbers[name];
        const other = text[at] === '0' ? '1' : '0';
        const changed = { ...numbers, [name]: text.slice(0, at) + other + text.slice(at + 1) };
        expect((await verifyRandomNumber(changed)).kind).toBe('mismatch');
      }),
    );
  });

  it.each([
    [{ ...numbers, user: undefined }, 'user', 'missing'],
    [{ ...numbers, provider: null }, 'provider', 'missing'],
    [{ ...numbers, combined: '' }, 'combined', 'missing'],
    [{ ...numbers, provider: '0x00ff' }, 'provider', 'malformed'],
    [{ ...numbers, combined: `${COMBINED}00` }, 'combined', 'malformed'],
  ] as const)('cannot be checked without all three: %j', async (inputs, number, problem) => {
    expect(await verifyRandomNumber(inputs)).toEqual({ kind: 'uncheckable', number, problem });
  });

  it('never throws, whatever the service writes', async () => {
    const text = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (user, provider, combined) => {
        expect((await verifyRandomNumber({ user, provider, combined })).kind).toBe('uncheckable');
      }),
    );
  });

  it('has 32 bytes, no more and no less', () => {
    expect(wordDigits(`0x${'Ab'.repeat(32)}`)).toBe('ab'.repeat(32));
    expect(wordDigits('ab'.repeat(31))).toBeUndefined();
  });
});
