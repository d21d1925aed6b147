/** A real update of 2023 (data/README.md). */
import { readFileSync } from 'node:fs';
import { type DecodedUpdate, decodeUpdate } from './decode';

export const VECTOR_TEXT = readFileSync(
  new URL('../../../data/vectors/update-btc-1690576635.b64', import.meta.url),
  'utf8',
);

/** 1,211 bytes, a new copy each time. */
export function vectorBytes(): Uint8Array {
  return Uint8Array.from(Buffer.from(VECTOR_TEXT, 'base64'));
}

export function decodeOrThrow(bytes: Uint8Array): DecodedUpdate {
  const update = decodeUpdate(bytes);
  if (update.kind === 'fault') throw new Error(`${update.offset} ${update.part}: ${update.problem}`);
  return update;
}
