import { keccak_256 } from '@noble/hashes/sha3.js';

/** user ‖ provider ‖ 32 zero bytes: the last third is never written. */
const input = Buffer.alloc(96);

/**
 * The number that a request gets: keccak256(user ‖ provider ‖ 32 zero bytes). Both contributions and the
 * result are 64 hex digits without 0x.
 */
export function combineRandomNumbers(user: string, provider: string): string {
  input.write(user, 0, 32, 'hex');
  input.write(provider, 32, 32, 'hex');
  const { buffer, byteOffset, length } = keccak_256(input);
  return Buffer.from(buffer, byteOffset, length).toString('hex');
}
