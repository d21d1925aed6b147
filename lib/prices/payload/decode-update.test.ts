import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUpdate } from './decode';
import { decoded, partAt, vectorBytes } from './vector-fixture';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
/** Where the parts of the true update begin. */
const AT = {
  major: 4,
  minor: 5,
  trailing: 6,
  proofType: 7,
  vaa: 10,
  signatures: 15,
  count: 962,
  message: 965,
};

function changed(change: (bytes: Uint8Array) => Uint8Array | undefined): Uint8Array {
  const bytes = vectorBytes();
  return change(bytes) ?? bytes;
}

function inserted(bytes: Uint8Array, at: number, more: readonly number[]): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)]);
}

describe('taking an update apart', () => {
  it('reads every part of the true update of 2023', () => {
    const { header, vaa, body, updates, remarks, leftOver, size } = decoded(vectorBytes());
    expect(size).toBe(1211);
    expect(header).toMatchObject({ major: 1, minor: 0, proofType: 0 });
    expect(vaa).toMatchObject({ offset: 10, length: 952, version: 1, setIndex: 3 });
    expect(vaa.signatures.map(({ index }) => index)).toEqual([0, 1, 2, 3, 6, 8, 9, 10, 11, 14, 15, 17, 18]);
    expect(body).toMatchObject({
      timestamp: 1_690_576_639,
      nonce: 0,
      emitterChain: 26,
      sequence: 1_744_134n,
    });
    expect(body.emitterAddress).toBe('e101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71');
    expect(body.payload).toMatchObject({ slot: 85_480_034n, ringSize: 10_000 });
    expect(bytesToHex(body.payload.root)).toBe('06c7ca52daf83e065b217471444494efd3e31382');
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
      trailingBytes: 0,
    });
    expect({ remarks, leftOver }).toEqual({ remarks: [], leftOver: 0 });
  });

  it('names every byte of it', () => {
    const update = decoded(vectorBytes());
    const unnamed = Array.from({ length: update.size }, (_, at) => at).filter(
      (at) => partAt(update, at) === undefined,
    );
    expect(unnamed).toEqual([]);
  });

  it('finds where every truncation cuts, and never reads past it', () => {
    const whole = vectorBytes();
    for (let length = 0; length < whole.length; length++) {
      const fault = decodeUpdate(whole.subarray(0, length));
      if (fault.kind !== 'fault') throw new Error(`${length} bytes were read as a whole update`);
      expect(fault.offset).toBeLessThanOrEqual(length);
      expect(fault.part).not.toBe('');
      expect(fault.problem).toMatch(/ends too early|is said to be/);
      // What it says that it has read, it has.
      for (const part of fault.parts) expect(part.offset + part.length).toBeLessThanOrEqual(length);
    }
  });

  it('says how many bytes are due where the payload ends', () => {
    expect(decodeUpdate(vectorBytes().subarray(0, 1200))).toMatchObject({
      offset: 1051,
      part: 'proof of update 1 of 1',
      problem: 'The payload ends too early: the proof of update 1 of 1 needs 160 bytes, and 149 are left.',
    });
    expect(decodeUpdate(vectorBytes().subarray(0, 500))).toMatchObject({
      offset: 10,
      part: 'VAA',
      problem: 'The VAA is said to be 952 bytes long; 490 bytes are left.',
    });
  });

  it('reads the payload of a view into a larger buffer', () => {
    const bytes = vectorBytes();
    const room = new Uint8Array(bytes.length + 20);
    room.set(bytes, 7);
    expect(decoded(room.subarray(7, 7 + bytes.length)).updates).toEqual(decoded(bytes).updates);
  });
});

describe('what it refuses, and where', () => {
  it.each([
    { name: 'another magic', at: 0, byte: 0x51, part: 'magic', says: /“QNAU”/ },
    { name: 'a later format', at: AT.major, byte: 2, part: 'major version', says: /not 2/ },
    { name: 'another kind of proof', at: AT.proofType, byte: 1, part: 'proof type', says: /not 1/ },
    { name: 'another message format', at: AT.vaa, byte: 2, part: 'VAA version', says: /not 2/ },
    {
      name: 'more signatures than there are',
      at: AT.signatures,
      byte: 255,
      part: 'signature 15',
      says: /The VAA ends/,
    },
    {
      name: 'more updates than there are',
      at: AT.count,
      byte: 2,
      part: 'update 2 of 2',
      says: /none are left/,
    },
    {
      name: 'a message too short for a price',
      at: AT.message - 1,
      byte: 84,
      part: 'EMA confidence',
      says: /message of update 1 of 1 ends/,
    },
  ])('$name', ({ at, byte, part, says }) => {
    const fault = decodeUpdate(
      changed((bytes) => {
        bytes[at] = byte;
        return bytes;
      }),
    );
    if (fault.kind !== 'fault') throw new Error('it was read');
    expect(fault.part).toContain(part);
    expect(fault.problem).toMatch(says);
    if (byte <= 2 && at !== AT.count) expect(fault.offset).toBe(at);
  });

  it.each([
    { name: 'a bare signed message', bytes: '0100000004', says: 'VAA' },
    { name: 'an older attestation', bytes: '5032574800', says: 'older kind' },
    { name: 'a payload of the router', bytes: '2a22999a00', says: 'router' },
  ])('$name, by what it is', ({ bytes, says }) => {
    const fault = decodeUpdate(Uint8Array.from(Buffer.from(bytes, 'hex')));
    expect(fault).toMatchObject({ kind: 'fault', offset: 0, part: 'magic' });
    expect(fault.kind === 'fault' ? fault.problem : '').toContain(says);
  });

  it('any bytes at all: a fault within them, never an exception', () => {
    const beginning = vectorBytes().subarray(0, 16);
    const arbitrary = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      // Such as get past the header.
      fc.uint8Array({ maxLength: 2000 }).map((rest) => Uint8Array.from([...beginning, ...rest])),
    );
    fc.assert(
      fc.property(arbitrary, (bytes) => {
        const fault = decodeUpdate(bytes);
        if (fault.kind === 'fault') {
          expect(fault.offset).toBeGreaterThanOrEqual(0);
          expect(fault.offset).toBeLessThanOrEqual(bytes.length);
        } else expect(fault.leftOver).toBeLessThan(bytes.length);
      }),
    );
  });
});

describe('what it reads and remarks on', () => {
  const remarksOf = (bytes: Uint8Array) => decoded(bytes).remarks.map(({ offset, part }) => [offset, part]);

  it('a later minor version, and a header that is longer than known', () => {
    const bytes = inserted(vectorBytes(), 7, [9, 9, 9]);
    bytes[AT.minor] = 1;
    bytes[AT.trailing] = 3;
    expect(remarksOf(bytes)).toEqual([
      [5, 'minor version'],
      [7, 'trailing header'],
    ]);
  });

  it('bytes behind the last update', () => {
    const update = decoded(inserted(vectorBytes(), 1211, [1, 2]));
    expect(update.leftOver).toBe(2);
    expect(update.remarks).toEqual([
      { offset: 1211, part: 'end', remark: '2 bytes left over behind the last update.' },
    ]);
  });

  it('bytes behind the last member of a price', () => {
    const bytes = inserted(vectorBytes(), AT.message + 85, [7]);
    bytes[AT.message - 1] = 86;
    expect(remarksOf(bytes)).toEqual([[AT.message + 85, 'message of update 1 of 1']]);
    expect(decoded(bytes).updates[0]?.message).toMatchObject({ kind: 'price', trailingBytes: 1 });
  });

  it('a message that is no price', () => {
    const bytes = changed((own) => own.fill(1, AT.message, AT.message + 1));
    expect(decoded(bytes).updates[0]?.message).toEqual({ kind: 'other', type: 1 });
    expect(remarksOf(bytes)).toEqual([[AT.message, 'message type of update 1 of 1']]);
  });

  it('signers that are not in order', () => {
    const bytes = changed((own) => own.fill(5, 16, 17));
    expect(remarksOf(bytes)).toEqual([[82, 'signer index of signature 2 of 13']]);
  });

  it('an update without updates', () => {
    const bytes = vectorBytes().slice(0, AT.count + 1);
    bytes[AT.count] = 0;
    expect(remarksOf(bytes)).toEqual([[AT.count, 'update count']]);
  });
});
