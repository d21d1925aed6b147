import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

const ZEROS = new Uint8Array(32);

/**
 * The number that a request gets: keccak256(user ‖ provider ‖ 32 zero bytes). Both contributions and the
 * result are 64 hex digits without 0x.
 */
export function combineRandomNumbers(user: string, provider: string): string {
  return bytesToHex(keccak_256(concatBytes(hexToBytes(user), hexToBytes(provider), ZEROS)));
}
