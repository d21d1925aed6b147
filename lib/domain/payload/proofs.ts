import { keccak_256 } from '@noble/hashes/sha3.js';
import type { ProvenMessage } from './decode-update';

/** Hashes of the tree are the first 20 bytes of keccak-256. */
const HASH_BYTES = 20;
const LEAF = 0x00;
const NODE = 0x01;

function shortHash(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes).subarray(0, HASH_BYTES);
}

/** -1, 0 or 1 by the first byte that differs; both of one length. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** The root (20 bytes) that a message and its proof lead to: leaf = H(0 ‖ message), node = H(1 ‖ smaller ‖ larger). */
export function provenRoot({ raw, proof }: Pick<ProvenMessage, 'raw' | 'proof'>): Uint8Array {
  const leaf = new Uint8Array(1 + raw.length);
  leaf[0] = LEAF;
  leaf.set(raw, 1);
  let hash = shortHash(leaf);
  const node = new Uint8Array(1 + 2 * HASH_BYTES);
  node[0] = NODE;
  for (const sibling of proof) {
    const [smaller, larger] = compareBytes(hash, sibling) <= 0 ? [hash, sibling] : [sibling, hash];
    node.set(smaller, 1);
    node.set(larger, 1 + HASH_BYTES);
    hash = shortHash(node);
  }
  return hash;
}

/** Whether the proof of a message leads to the signed root. */
export function provesMessage(update: Pick<ProvenMessage, 'raw' | 'proof'>, root: Uint8Array): boolean {
  const proven = provenRoot(update);
  return root.length === HASH_BYTES && compareBytes(proven, root) === 0;
}
