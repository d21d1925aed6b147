import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkUpdate, signerGeneration } from './check';
import { decodeUpdate } from './decode';
import { decodeOrThrow, vectorBytes } from './vector-fixture';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

describe('decoding an update', () => {
  it('reads every part of a real update of 2023', () => {
    const { bytes, signatures, root, updates, offsets, remarks, header, body } = decodeOrThrow(vectorBytes());
    const places = [1211, 10, 962, []];
    expect([bytes.length, offsets.get('VAA'), offsets.get('update count'), remarks]).toEqual(places);
    expect([...header, ...body].map(({ name, value, offset }) => `${name} @${offset}: ${value}`)).toEqual([
      'Magic, version @0: PNAU, 1.0',
      'Trailing header @6: empty',
      'Proof type @7: 0, Merkle',
      'Signed message @10: VAA version 1',
      'Guardian set @11: 3',
      'Signatures @15: 13',
      'Timestamp @874: 1690576639 2023-07-28T20:37:19Z',
      'Nonce @878: 0',
      'Emitter chain @882: 26',
      'Emitter address @884: 0xe101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71',
      'Sequence @916: 1744134',
      'Consistency @924: 1',
      'Slot @930: 85480034',
      'Ring size @938: 10000',
      'Merkle root @942: 0x06c7ca52daf83e065b217471444494efd3e31382',
    ]);
    expect(signatures.map(({ index }) => index)).toEqual([0, 1, 2, 3, 6, 8, 9, 10, 11, 14, 15, 17, 18]);
    expect(bytesToHex(root)).toBe('06c7ca52daf83e065b217471444494efd3e31382');
    expect(updates).toHaveLength(1);
    expect(updates[0]?.proof).toHaveLength(8);
    expect(updates[0]?.message).toEqual({
      kind: 'price',
      id: BTC,
      price: 2_931_999_000_000n,
      conf: 705_950_551n,
      expo: -8,
      publishTimeS: 1_690_576_635n,
      prevPublishTimeS: 1_690_576_634n,
      emaPrice: 2_929_734_300_000n,
      emaConf: 625_449_400n,
    });
  });

  it('finds where every truncation cuts, and never reads past it', () => {
    const whole = vectorBytes();
    for (let length = 0; length < whole.length; length++) {
      const fault = decodeUpdate(whole.subarray(0, length));
      if (fault.kind !== 'fault') throw new Error(`${length} bytes were read as a whole update`);
      expect(fault.offset).toBeLessThanOrEqual(length);
      expect(fault.problem).toMatch(/^Truncated/);
    }
    expect(decodeUpdate(whole.subarray(0, 1200))).toMatchObject({
      offset: 1051,
      part: 'proof of update 1 of 1',
      problem: 'Truncated payload: proof of update 1 of 1 needs 160 bytes, 149 left.',
    });
  });

  it.each([
    { name: 'another magic', at: 0, byte: 0x51, part: 'magic' },
    { name: 'a later format', at: 4, byte: 2, part: 'major version' },
    { name: 'another kind of proof', at: 7, byte: 1, part: 'proof type' },
    { name: 'another message format', at: 10, byte: 2, part: 'VAA version' },
    { name: 'more signatures than there are', at: 15, byte: 255, part: 'signature 15' },
    { name: 'more updates than there are', at: 962, byte: 2, part: 'update 2 of 2' },
    { name: 'a message too short for a price', at: 964, byte: 84, part: 'EMA confidence' },
  ])('refuses $name, and says where', ({ at, byte, part }) => {
    const fault = decodeUpdate(vectorBytes().fill(byte, at, at + 1));
    if (fault.kind !== 'fault') throw new Error('it was read');
    expect(fault.part).toContain(part);
    if (byte <= 2 && at !== 962) expect(fault.offset).toBe(at);
  });

  it('recognises other formats', () => {
    for (const [hex, says] of [
      ['0100000004', 'VAA'],
      ['5032574800', 'older kind'],
      ['2a22999a00', 'router'],
    ] as const) {
      const fault = decodeUpdate(Uint8Array.from(Buffer.from(hex, 'hex')));
      expect(fault.kind === 'fault' ? fault.problem : '').toContain(says);
    }
  });

  it('ignores trailing bytes with a remark, and keeps messages other than prices', () => {
    const whole = vectorBytes();
    const longer = Uint8Array.from([...whole.subarray(0, 1050), 7, ...whole.subarray(1050), 1, 2]);
    longer[964] = 86;
    expect(decodeOrThrow(longer).updates[0]?.message).toEqual(decodeOrThrow(whole).updates[0]?.message);
    expect(decodeOrThrow(longer).remarks).toHaveLength(2);
    expect(decodeOrThrow(whole.fill(1, 965, 966)).updates[0]?.message).toEqual({ kind: 'other', type: 1 });
  });

  it('any bytes give a fault within them, never an exception', () => {
    const beginning = vectorBytes().subarray(0, 16);
    const arbitrary = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      // These get past the header.
      fc.uint8Array({ maxLength: 2000 }).map((rest) => Uint8Array.from([...beginning, ...rest])),
    );
    fc.assert(
      fc.property(arbitrary, (bytes) => {
        const fault = decodeUpdate(bytes);
        if (fault.kind === 'fault') expect(fault.offset).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('the signers of an update', () => {
  const update = decodeOrThrow(vectorBytes());

  it('recovers the guardians of set 3, whose addresses are known from their contracts, and verifies the price', () => {
    const { signers, proofs, generation } = checkUpdate(update);
    expect(signers).toHaveLength(13);
    expect(signers.slice(0, 3)).toEqual([
      '0x58cc3ae5c097b213ce3c81979e1b9f9570746aa5',
      '0xff6cb952589bde862c25ef4392132fb9d4a42157',
      '0x114de8460193bdf3a2fcf81f86a09765f4762fd1',
    ]);
    expect({ proofs, generation }).toEqual({ proofs: [true], generation: 'before-upgrade' });
  });

  it('finds no key for an invalid signature', () => {
    const [first] = update.signatures;
    if (first === undefined) throw new Error('no signature');
    // Contracts recover no signer from a recovery id above 1.
    for (const change of [
      { recovery: 2, r: Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? 2 : 0)) },
      { recovery: 27 },
      { r: new Uint8Array(32) },
      { s: new Uint8Array(32).fill(255) },
    ]) {
      const signatures = [{ ...first, ...change }];
      expect(checkUpdate({ ...update, signatures })).toMatchObject({
        signers: [undefined],
        generation: 'unknown',
      });
    }
  });

  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

  it.each([
    { indexes: [0, 2, 4], generation: 'upgraded' },
    { indexes: upTo(5), generation: 'upgraded' },
    { indexes: upTo(13), generation: 'before-upgrade' },
    { indexes: upTo(19), generation: 'before-upgrade' },
    { indexes: [], generation: 'unknown' },
    { indexes: [0, 1], generation: 'unknown' },
    { indexes: [0, 1, 5], generation: 'unknown' },
    { indexes: upTo(12), generation: 'unknown' },
    { indexes: [...upTo(12), 19], generation: 'unknown' },
    { indexes: upTo(20), generation: 'unknown' },
    { indexes: [0, 0, 1], generation: 'unknown' },
    { indexes: [4, 2, 0], generation: 'unordered' },
    { indexes: [2, 1], generation: 'unknown' },
  ])('is $generation for signers $indexes', ({ indexes, generation }) => {
    const [first] = update.signatures;
    const signatures = indexes.map((index) => ({ ...(first as NonNullable<typeof first>), index }));
    const signers = indexes.map((index) => `0x${index}`);
    expect(signerGeneration({ signatures }, signers)).toBe(generation);
    // Duplicate signers don't count.
    if (indexes.length > 1) {
      const proof = indexes.map(() => '0x01');
      expect(signerGeneration({ signatures }, proof)).toBe('unknown');
    }
  });
});
