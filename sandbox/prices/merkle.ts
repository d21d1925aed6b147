import { keccak_256 } from '@noble/hashes/sha3.js';

/** Hashes of the tree are the first 20 bytes of keccak-256. */
const HASH_BYTES = 20;
const LEAF = 0x00;
const NODE = 0x01;
/** What fills the tree up to a power of two: the hash of this byte alone. */
const EMPTY = Uint8Array.of(0x02);

function shortHash(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes).subarray(0, HASH_BYTES);
}

function leafHash(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + message.length);
  bytes[0] = LEAF;
  bytes.set(message, 1);
  return shortHash(bytes);
}

const nodeBytes = new Uint8Array(1 + 2 * HASH_BYTES);
nodeBytes[0] = NODE;

/** The two sides are put in order, so that a proof needs no directions. */
function nodeHash(a: Uint8Array, b: Uint8Array): Uint8Array {
  const ordered = Buffer.compare(a, b) <= 0;
  nodeBytes.set(ordered ? a : b, 1);
  nodeBytes.set(ordered ? b : a, 1 + HASH_BYTES);
  return shortHash(nodeBytes);
}

export type MerkleTree = {
  root: Uint8Array;
  /** The sibling hashes of a leaf, from the leaf up. */
  proofOf(leaf: number): Uint8Array[];
};

/** Builds the tree over messages, in their order. With one message the proof is empty. */
export function buildMerkleTree(messages: readonly Uint8Array[]): MerkleTree {
  let layer = messages.map(leafHash);
  let empty = shortHash(EMPTY);
  const layers = [layer];
  const emptyOf = [empty];
  while (layer.length > 1) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < layer.length; i += 2) next.push(nodeHash(layer[i] ?? empty, layer[i + 1] ?? empty));
    empty = nodeHash(empty, empty);
    layer = next;
    layers.push(layer);
    emptyOf.push(empty);
  }
  return {
    root: layer[0] ?? empty,
    proofOf: (leaf) =>
      layers.slice(0, -1).map((hashes, level) => {
        const sibling = (leaf >> level) ^ 1;
        return hashes[sibling] ?? emptyOf[level] ?? empty;
      }),
  };
}
