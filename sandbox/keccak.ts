import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** keccak-256 of parts one after the other, 32 bytes. It is most of the work of a log row and of a price update. */
export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}
