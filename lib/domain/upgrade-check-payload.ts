import { bytesToHex } from '@noble/hashes/utils.js';
import { checkUpdate } from './payload/check-update';
import { decodeUpdate } from './payload/decode-update';
import type { PayloadGeneration } from './payload/generation';
import { readPayloadText } from './payload/payload-text';

/** One binary update of an answer, and what its bytes say. */
export type UpgradePayload = {
  /** Lower-case hex without `0x`; the service's own text where that is neither hex nor base64. */
  readonly data: string;
  readonly generation: PayloadGeneration;
  /** Why it is told to be of that generation, or what is wrong with the bytes. Sentences. */
  readonly reasons: readonly string[];
  /** `sound`: it can be read, and proves all its messages. No contract takes a `broken` one. */
  readonly standing: 'sound' | 'broken';
};

/**
 * Takes a payload apart, recovers its signers and verifies its proofs. It pauses after each of these steps, which take a few
 * milliseconds, so that the caller can let others have their turn.
 */
export function* readUpgradePayload(text: string): Generator<number, UpgradePayload> {
  const read = readPayloadText(text);
  if (read.kind !== 'bytes') return broken(text, read.problem);
  const data = bytesToHex(read.bytes);
  const update = decodeUpdate(read.bytes);
  if (update.kind === 'fault') return broken(data, `${update.problem} (at byte ${update.offset})`);
  const { generation, proofs } = yield* checkUpdate(update);
  const failing = proofs.filter(({ kind }) => kind === 'fails').length;
  if (failing === 0) return { data, ...generation, standing: 'sound' };
  const words = `${failing} of ${proofs.length} Merkle proofs do not lead to the signed root.`;
  return {
    data,
    generation: generation.generation,
    reasons: [...generation.reasons, words],
    standing: 'broken',
  };
}

function broken(data: string, problem: string): UpgradePayload {
  return { data, generation: 'unknown', reasons: [problem], standing: 'broken' };
}
