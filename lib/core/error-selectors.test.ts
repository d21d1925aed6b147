import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { ERROR_STRING, knownError, PANIC, panicMeaning } from './failure';

const selectorOf = (signature: string) => {
  return `0x${bytesToHex(keccak_256(new TextEncoder().encode(signature))).slice(0, 8)}`;
};

describe('error selectors', () => {
  it('of the language are those of their signatures', () => {
    expect(selectorOf('Error(string)')).toBe(ERROR_STRING);
    expect(selectorOf('Panic(uint256)')).toBe(PANIC);
  });

  it.each(['InsufficientFee', 'Unauthorized', 'NoSuchRequest', 'NoSuchProvider'])(
    'of the contract are those of their signatures: %s',
    (name) => {
      expect(knownError(selectorOf(`${name}()`))?.name).toBe(name);
    },
  );

  it('are found in any case, and unknown ones are not', () => {
    expect(knownError('0xD82DD966')?.name).toBe('AssertionFailure');
    expect(knownError('0xdeadbeef')).toBeUndefined();
  });

  it('know the codes of the Solidity documentation and no other', () => {
    expect(panicMeaning(0x51n)).toBeDefined();
    expect(panicMeaning(0x02n)).toBeUndefined();
  });
});
