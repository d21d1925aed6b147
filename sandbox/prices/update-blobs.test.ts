import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeUpdate } from './decode-update';
import { sandboxFeeds } from './feeds';
import { PriceModel } from './price-model';
import { isUpdated, slotAt, wireSlot } from './slots';
import { UpdateBlobs } from './update-blobs';

const NOON = slotAt(Date.UTC(2026, 10, 20, 12));
const vectorFile = new URL('../../data/vectors/update-btc-1690576635.b64', import.meta.url);
const model = new PriceModel('1');
const blobs = new UpdateBlobs(model, '1');
const updated = sandboxFeeds.filter(({ cadence }) => isUpdated(cadence, NOON));

describe('the test decoder', () => {
  it('reads the true update of 2023 and finds its proof valid', () => {
    const update = decodeUpdate(Buffer.from(readFileSync(vectorFile, 'utf8'), 'base64'));
    expect(update).toMatchObject({
      setIndex: 3,
      timestamp: 1_690_576_639,
      emitterChain: 26,
      sequence: 1_744_134n,
      slot: 85_480_034n,
      ringSize: 10_000,
      root: '06c7ca52daf83e065b217471444494efd3e31382',
    });
    expect(update.signatures).toHaveLength(13);
    expect(update.messages).toEqual([
      {
        id: 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43',
        price: 2_931_999_000_000n,
        conf: 705_950_551n,
        expo: -8,
        publishTime: 1_690_576_635n,
        prevPublishTime: 1_690_576_634n,
        emaPrice: 2_929_734_300_000n,
        emaConf: 625_449_400n,
        proofLength: 8,
        provenRoot: update.root,
      },
    ]);
  });
});

describe('binary updates', () => {
  it.each([
    { generation: 'after', count: 3, of: 5 },
    { generation: 'before', count: 13, of: 19 },
  ] as const)(
    '$generation: are signed by $count of $of known signers, in order',
    ({ generation, count, of }) => {
      const signers = new Map<number, string>();
      for (let slot = NOON; slot < NOON + of; slot++) {
        const { signatures } = decodeUpdate(blobs.blob(slot, updated.slice(0, 1), generation));
        expect(signatures).toHaveLength(count);
        expect(signatures.map(({ index }) => index)).toEqual(
          [...new Set(signatures.map(({ index }) => index))].sort((a, b) => a - b),
        );
        for (const { index, recovered } of signatures) {
          expect(recovered).toBe(signers.get(index) ?? recovered);
          signers.set(index, recovered);
        }
      }
      expect(new Set(signers.values()).size).toBe(of);
    },
  );

  it('prove every feed of the slot in one blob, and say what the parsed form says', () => {
    const update = decodeUpdate(blobs.blob(NOON, updated, 'after'));
    expect(update.slot).toBe(BigInt(wireSlot(NOON)));
    expect(update.messages).toHaveLength(updated.length);
    update.messages.forEach((message, i) => {
      const feed = updated[i];
      if (!feed) throw new Error('a message too many');
      const state = model.at(feed, NOON);
      expect(message).toEqual({
        id: feed.id,
        price: state.price,
        conf: state.conf,
        expo: feed.expo,
        publishTime: BigInt(state.publishTime),
        prevPublishTime: BigInt(state.prevPublishTime),
        emaPrice: state.emaPrice,
        emaConf: state.emaConf,
        proofLength: 8,
        provenRoot: update.root,
      });
    });
  });
});
