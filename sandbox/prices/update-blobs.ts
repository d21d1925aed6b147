import { keccak_256 } from '@noble/hashes/sha3.js';
import { LRUCache } from 'lru-cache';
import { type SandboxFeed, sandboxFeeds } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import { ByteWriter, type Generation, SignerSet } from './signers';
import { isUpdated, publishTime, wireSlot } from './slots';

/** Hashes of the tree are the first 20 bytes of keccak-256. */
const HASH_BYTES = 20;
const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);
/** What the tree is filled up with: the hash of this byte alone. */
const EMPTY = Uint8Array.of(0x02);

function shortHash(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes).subarray(0, HASH_BYTES);
}

/** The two sides are put in order, so that a proof needs no directions. */
function nodeHash(a: Uint8Array, b: Uint8Array): Uint8Array {
  return shortHash(Buffer.concat([NODE, ...(Buffer.compare(a, b) <= 0 ? [a, b] : [b, a])]));
}

/** Layers of hashes over messages in their order, from the leaves up to the root; filled up to a power of two. */
function merkleLayers(messages: readonly Uint8Array[]): Uint8Array[][] {
  const leaves = messages.map((message) => shortHash(Buffer.concat([LEAF, message])));
  while (!Number.isInteger(Math.log2(leaves.length))) leaves.push(shortHash(EMPTY));
  const layers = [leaves];
  for (let below = leaves; below.length > 1; below = layers.at(-1) ?? []) {
    layers.push(
      below.flatMap((hash, i) => (i % 2 === 0 ? [nodeHash(hash, below[i + 1] as Uint8Array)] : [])),
    );
  }
  return layers;
}

/** Chain and address of the emitter, and ring size, as in the true update in data/vectors. */
export const EMITTER_CHAIN = 26;
const EMITTER_ADDRESS = Buffer.from(
  'e101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71',
  'hex',
);
const RING_SIZE = 10_000;
const CONSISTENCY = 1;
/** A tree with its signatures is about 60 kB. */
const SLOTS_KEPT = 64;

/** The price message of one update, 85 bytes: the leaf of the tree. */
function priceMessage(state: FeedState): Uint8Array {
  return new ByteWriter()
    .uint(1, 0)
    .raw(Buffer.from(state.feed.id, 'hex'))
    .int(8, state.price)
    .uint(8, state.conf)
    .int(4, state.feed.expo)
    .int(8, state.publishTime)
    .int(8, state.prevPublishTime)
    .int(8, state.emaPrice)
    .uint(8, state.emaConf)
    .done();
}

function signedBody(slot: number, root: Uint8Array): Uint8Array {
  return new ByteWriter()
    .uint(4, publishTime(slot))
    .uint(4, 0) // nonce
    .uint(2, EMITTER_CHAIN)
    .raw(EMITTER_ADDRESS)
    .uint(8, wireSlot(slot)) // sequence
    .uint(1, CONSISTENCY)
    .text('AUWV')
    .uint(1, 0)
    .uint(8, wireSlot(slot))
    .uint(4, RING_SIZE)
    .raw(root)
    .done();
}

/** What one slot signs: the messages of all feeds that have an update in it, under one root. */
type SlotTree = {
  leaves: Map<string, number>;
  messages: Uint8Array[];
  layers: Uint8Array[][];
  vaas: Map<Generation, Uint8Array>;
};

/** Makes the binary updates. A slot is signed once, when first asked for: a signature costs a millisecond. */
export class UpdateBlobs {
  readonly #sets: Readonly<Record<Generation, SignerSet>>;
  readonly #trees = new LRUCache<number, SlotTree>({
    max: SLOTS_KEPT,
    memoMethod: (slot) => this.#grow(slot),
  });

  constructor(
    private readonly model: PriceModel,
    seed: string,
  ) {
    this.#sets = { before: new SignerSet(seed, 'before'), after: new SignerSet(seed, 'after') };
  }

  /** One binary update that proves the updates of these feeds in this slot; each must have one there. */
  blob(slot: number, feeds: readonly SandboxFeed[], generation: Generation): Buffer {
    const tree = this.#trees.memo(slot);
    const vaa = this.#vaaOf(slot, tree, generation);
    const out = new ByteWriter().text('PNAU').uint(1, 1).uint(1, 0).uint(1, 0).uint(1, 0);
    out.uint(2, vaa.length).raw(vaa).uint(1, feeds.length);
    for (const feed of feeds) {
      const leaf = tree.leaves.get(feed.id);
      const message = leaf === undefined ? undefined : tree.messages[leaf];
      if (leaf === undefined || !message) throw new Error(`no update of ${feed.symbol} in this slot`);
      // The siblings from the leaf up, without the root.
      const proof = tree.layers.flatMap((hashes, level) => hashes[(leaf >> level) ^ 1] ?? []);
      out.uint(2, message.length).raw(message).uint(1, proof.length);
      for (const hash of proof) out.raw(hash);
    }
    return out.done();
  }

  #grow(slot: number): SlotTree {
    const updated = sandboxFeeds.filter((feed) => isUpdated(feed.cadence, slot));
    const messages = updated.map((feed) => priceMessage(this.model.at(feed, slot)));
    return {
      leaves: new Map(updated.map((feed, leaf) => [feed.id, leaf])),
      messages,
      layers: merkleLayers(messages),
      vaas: new Map(),
    };
  }

  #vaaOf(slot: number, tree: SlotTree, generation: Generation): Uint8Array {
    const known = tree.vaas.get(generation);
    if (known) return known;
    const set = this.#sets[generation];
    const body = signedBody(slot, tree.layers.at(-1)?.[0] as Uint8Array);
    const signatures = set.sign(keccak_256(keccak_256(body)), wireSlot(slot));
    const out = new ByteWriter().uint(1, 1).uint(4, set.setIndex).uint(1, signatures.length);
    for (const { index, r, s, recovery } of signatures) out.uint(1, index).raw(r).raw(s).uint(1, recovery);
    const vaa = out.raw(body).done();
    tree.vaas.set(generation, vaa);
    return vaa;
  }
}
