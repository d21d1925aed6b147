import { bytesToHex } from '@noble/hashes/utils.js';

/** So many bytes are given to one call at a time, since arguments live on the stack. */
const CHUNK = 0x6000;

/** A payload as text, as the service writes it: hex in lower case without `0x`, base64 with padding. */
export function payloadText(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  if (encoding === 'hex') return bytesToHex(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return btoa(pieces.join(''));
}
