import { keccak_256 } from '@noble/hashes/sha3.js';
import { LRUCache } from 'lru-cache';
import { ByteWriter } from './bytes';
import { isUpdated } from './cadence';
import { type SandboxFeed, sandboxFeeds } from './feeds';
import { buildMerkleTree, type MerkleTree } from './merkle';
import type { FeedState, PriceModel } from './price-model';
import { type Generation, SignerSet } from './signers';
import { publishTime, wireSlot } from './slots';

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
    .u8(0)
    .raw(Buffer.from(state.feed.id, 'hex'))
    .i64(state.price)
    .u64(state.conf)
    .i32(state.feed.expo)
    .i64(BigInt(state.publishTime))
    .i64(BigInt(state.prevPublishTime))
    .i64(state.emaPrice)
    .u64(state.emaConf)
    .done();
}

function signedBody(slot: number, root: Uint8Array): Uint8Array {
  return new ByteWriter()
    .u32(publishTime(slot))
    .u32(0) // nonce
    .u16(EMITTER_CHAIN)
    .raw(EMITTER_ADDRESS)
    .u64(BigInt(wireSlot(slot))) // sequence
    .u8(CONSISTENCY)
    .text('AUWV')
    .u8(0)
    .u64(BigInt(wireSlot(slot)))
    .u32(RING_SIZE)
    .raw(root)
    .done();
}

/** What one slot signs: the messages of all feeds that have an update in it, under one root. */
type SlotTree = {
  leafOf: Map<string, number>;
  messages: Uint8Array[];
  tree: MerkleTree;
  vaas: Map<Generation, Uint8Array>;
};

/**
 * Makes the binary updates. Tree and signatures of a slot are made when the first binary of that slot is
 * asked for, and then serve every client: signing costs about a millisecond for each signature.
 */
export class UpdateBlobs {
  readonly #model: PriceModel;
  readonly #sets: Readonly<Record<Generation, SignerSet>>;
  readonly #trees = new LRUCache<number, SlotTree>({
    max: SLOTS_KEPT,
    memoMethod: (slot) => this.#grow(slot),
  });

  constructor(model: PriceModel, seed: string) {
    this.#model = model;
    this.#sets = { before: new SignerSet(seed, 'before'), after: new SignerSet(seed, 'after') };
  }

  /** Addresses (lower-case hex) of the simulated signers, in the order of their indexes. */
  signers(generation: Generation): string[] {
    return this.#sets[generation].addresses();
  }

  /** One binary update that proves the updates of these feeds in this slot; each must have one there. */
  blob(slot: number, feeds: readonly SandboxFeed[], generation: Generation): Buffer {
    const tree = this.#trees.memo(slot);
    const vaa = this.#vaaOf(slot, tree, generation);
    const out = new ByteWriter().text('PNAU').u8(1).u8(0).u8(0).u8(0);
    out.u16(vaa.length).raw(vaa).u8(feeds.length);
    for (const feed of feeds) {
      const leaf = tree.leafOf.get(feed.id);
      const message = leaf === undefined ? undefined : tree.messages[leaf];
      if (leaf === undefined || !message) throw new Error(`no update of ${feed.symbol} in this slot`);
      const proof = tree.tree.proofOf(leaf);
      out.u16(message.length).raw(message).u8(proof.length);
      for (const hash of proof) out.raw(hash);
    }
    return out.done();
  }

  clear(): void {
    this.#trees.clear();
  }

  #grow(slot: number): SlotTree {
    const updated = sandboxFeeds.filter((feed) => isUpdated(feed.cadence, slot));
    const messages = updated.map((feed) => priceMessage(this.#model.at(feed, slot)));
    return {
      leafOf: new Map(updated.map((feed, leaf) => [feed.id, leaf])),
      messages,
      tree: buildMerkleTree(messages),
      vaas: new Map(),
    };
  }

  #vaaOf(slot: number, tree: SlotTree, generation: Generation): Uint8Array {
    const known = tree.vaas.get(generation);
    if (known) return known;
    const set = this.#sets[generation];
    const body = signedBody(slot, tree.tree.root);
    const signatures = set.sign(keccak_256(keccak_256(body)), wireSlot(slot));
    const out = new ByteWriter().u8(1).u32(set.setIndex).u8(signatures.length);
    for (const { index, signature } of signatures) {
      out.u8(index).raw(signature.r).raw(signature.s).u8(signature.recovery);
    }
    const vaa = out.raw(body).done();
    tree.vaas.set(generation, vaa);
    return vaa;
  }
}
