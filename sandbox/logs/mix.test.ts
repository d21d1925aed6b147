import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, hashOf, identify, KIND, Mixer } from './random';

const word = fc.nat({ max: 2 ** 32 - 1 });

test('a permutation leads back to what it was made of', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), word, word, (seed, left, right) => {
      const mixer = new Mixer(seed);
      expect(mixer.restore(...mixer.permute(left, right))).toEqual([left, right]);
    }),
  );
});

test('a hash and an address lead back to their kind and number, under the same seed only', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.constantFrom(...Object.values(KIND)), (id, kind) => {
      const mixer = new Mixer(7);
      for (const hex of [hashOf(mixer, kind, id), addressOf(mixer, kind, id)]) {
        expect(identify(mixer, hex)).toEqual({ kind, id });
        expect(identify(new Mixer(8), hex)).toBeUndefined();
        const changed = hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');
        expect(identify(mixer, changed)).toBeUndefined();
      }
    }),
  );
});

test('both halves of a large seed count, and so does the stream', () => {
  const words = [new Mixer(5), new Mixer(5 + 2 ** 32), new Mixer(6), new Mixer(5, 1), new Mixer(5, 2)].map(
    (mixer) => mixer.word(1, 2, 3),
  );
  expect(new Set(words).size).toBe(words.length);
});

test('fractions are spread evenly', () => {
  const mixer = new Mixer(1);
  const buckets = new Array<number>(10).fill(0);
  for (let k = 0; k < 20_000; k++) {
    const bucket = mixer.below(10, 3, k);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  for (const count of buckets) expect(count).toBeGreaterThan(1800);
});
