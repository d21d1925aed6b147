import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** Hash of the concatenated parts, 32 bytes. */
export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}
