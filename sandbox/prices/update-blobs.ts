import { LRUCache } from 'lru-cache';
import { keccak256 } from '@/sandbox/keccak';
import { type SandboxFeed, sandboxFeeds } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import { type Generation, pack, signedByGuardians } from './signers';
import { isUpdated, publishTime, wireSlot } from './slots';

/** The first 20 bytes of keccak-256 over a byte for the kind, and the content. */
function shortHash(kind: 'leaf' | 'node' | 'empty', ...content: Uint8Array[]): Uint8Array {
  const byte = Uint8Array.of(['leaf', 'node', 'empty'].indexOf(kind));
  return keccak256(byte, ...content).subarray(0, 20);
}

/** Layers from the leaves, padded to a power of two, to the root. */
function merkleLayers(messages: readonly Uint8Array[]): Uint8Array[][] {
  const leaves = messages.map((message) => shortHash('leaf', message));
  while (!Number.isInteger(Math.log2(leaves.length))) leaves.push(shortHash('empty'));
  const layers = [leaves];
  for (let below = leaves; below.length > 1; below = layers.at(-1) ?? []) {
    // The two sides are sorted, so that a proof needs no directions.
    const pairs = Array.from({ length: below.length / 2 }, (_, i) => below.slice(2 * i, 2 * i + 2));
    layers.push(pairs.map((sides) => shortHash('node', ...sides.sort(Buffer.compare))));
  }
  return layers;
}

/** Chain and address of the emitter, and ring size, as in the real update in data/vectors. */
export const EMITTER_CHAIN = 26;
const EMITTER = Buffer.from('e101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71', 'hex');
const RING_SIZE = 10_000;
const CONSISTENCY = 1;
/** A tree with its signatures takes about 60 kB. */
const MAX_CACHED_SLOTS = 64;

/** 85 bytes, a leaf of the tree. */
function priceMessage({
  feed,
  price,
  conf,
  publishTime: at,
  prevPublishTime,
  emaPrice,
  emaConf,
}: FeedState): Buffer {
  const id = Buffer.from(feed.id, 'hex');
  return pack('>BsqQiqqqQ', 0, id, price, conf, feed.expo, at, prevPublishTime, emaPrice, emaConf);
}

/** The messages of all feeds with an update in a slot, under one root. */
type SlotTree = { feeds: SandboxFeed[]; messages: Buffer[]; layers: Uint8Array[][]; vaa: Buffer };

/** A slot is signed on first use, because a signature costs a millisecond. */
export class UpdateBlobs {
  readonly #trees = new LRUCache<string, SlotTree>({ max: MAX_CACHED_SLOTS });

  constructor(
    private readonly model: PriceModel,
    private readonly seed: string,
  ) {}

  /** Each feed must have an update in the slot. */
  blob(slot: number, feeds: readonly SandboxFeed[], generation: Generation): Buffer {
    const key = `${slot} ${generation}`;
    const tree = this.#trees.get(key) ?? this.#grow(slot, generation);
    this.#trees.set(key, tree);
    const updates = feeds.map((feed) => {
      const leaf = tree.feeds.indexOf(feed);
      const message = tree.messages[leaf];
      if (!message) throw new Error(`no update of ${feed.symbol} in this slot`);
      // The siblings from the leaf up, without the root.
      const proof = tree.layers.flatMap((hashes, level) => hashes[(leaf >> level) ^ 1] ?? []);
      return pack('>HsBs', message.length, message, proof.length, Buffer.concat(proof));
    });
    const { vaa } = tree;
    return pack('>sBBBBHsBs', 'PNAU', 1, 0, 0, 0, vaa.length, vaa, feeds.length, Buffer.concat(updates));
  }

  #grow(slot: number, generation: Generation): SlotTree {
    const feeds = sandboxFeeds.filter((feed) => isUpdated(feed.cadence, slot));
    const messages = feeds.map((feed) => priceMessage(this.model.at(feed, slot)));
    const layers = merkleLayers(messages);
    const root = layers.at(-1)?.[0] ?? Buffer.of();
    const number = wireSlot(slot);
    const payload = pack('>sBQIs', 'AUWV', 0, number, RING_SIZE, root);
    const head = pack('>IIHsQB', publishTime(slot), 0, EMITTER_CHAIN, EMITTER, number, CONSISTENCY);
    const vaa = signedByGuardians(this.seed, generation, number, Buffer.concat([head, payload]));
    return { feeds, messages, layers, vaa };
  }
}
