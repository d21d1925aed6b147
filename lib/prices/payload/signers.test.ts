import { describe, expect, it } from 'vitest';
import { generationOf, recoverSigner, recoverSigners, type SignerVerdict, signedDigest } from './check';
import type { DecodedUpdate, PayloadSignature } from './decode';
import { decoded, vectorBytes } from './vector-fixture';

const update = decoded(vectorBytes());
const [first] = update.vaa.signatures;
if (first === undefined) throw new Error('no signature');
const digest = signedDigest(update.body.bytes);

describe('recovering signers', () => {
  it('gives the guardians of set 3, whose addresses are known from their contracts', () => {
    const addresses = recoverSigners(update).map((one) =>
      one.kind === 'signer' ? one.address : one.problem,
    );
    expect(addresses).toHaveLength(13);
    expect(addresses.slice(0, 4)).toEqual([
      '0x58cc3ae5c097b213ce3c81979e1b9f9570746aa5',
      '0xff6cb952589bde862c25ef4392132fb9d4a42157',
      '0x114de8460193bdf3a2fcf81f86a09765f4762fd1',
      '0x107a0086b32d7a0977926a205131d8731d39cbeb',
    ]);
  });

  it('gives somebody else for another digest', () => {
    const other = recoverSigner(signedDigest(new Uint8Array(1)), first);
    expect(other).not.toEqual(recoverSigner(digest, first));
  });

  it.each([
    { name: 'a recovery id that does not exist', change: { recovery: 27 }, says: 'The recovery id is 27' },
    { name: 'an r of zero', change: { r: new Uint8Array(32) }, says: 'No key' },
    { name: 'an s beyond the curve', change: { s: new Uint8Array(32).fill(255) }, says: 'No key' },
  ])('says why not: $name', ({ change, says }) => {
    const verdict = recoverSigner(digest, { ...first, ...change });
    expect(verdict.kind === 'unrecoverable' ? verdict.problem : verdict.kind).toContain(says);
  });
});

/** The true update with other signatures, and with as many signers as wished. */
function signedBy(indexes: readonly number[]): { update: DecodedUpdate; signers: SignerVerdict[] } {
  const signatures = indexes.map((index): PayloadSignature => ({ ...(first as PayloadSignature), index }));
  const signers = indexes.map(
    (index): SignerVerdict => ({ kind: 'signer', address: `0x${index.toString(16).padStart(40, '0')}` }),
  );
  return { update: { ...update, vaa: { ...update.vaa, signatures } }, signers };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the generation of a payload', () => {
  it('is told of the true update by its 13 signatures of a set of 19', () => {
    expect(generationOf(update)).toEqual({
      generation: 'before-upgrade',
      reasons: [
        '13 signatures of guardian set 3, the highest signer index is 18.',
        'That fits a quorum of 13 of 19 signers, as guardians signed before the upgrade.',
        'Each signature leads to another signer. Whether these are the guardians is not checked: anybody can sign so many times.',
      ],
    });
  });

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
  ])('is $generation for signers $indexes', ({ indexes, generation }) => {
    const signed = signedBy(indexes);
    expect(generationOf(signed.update, signed.signers).generation).toBe(generation);
  });

  it('is not known when one signer signed for several', () => {
    const { update: threefold } = signedBy([0, 1, 2]);
    const one: SignerVerdict = { kind: 'signer', address: '0x01' };
    expect(generationOf(threefold, [one, one, one])).toMatchObject({
      generation: 'unknown',
      reasons: [expect.any(String), 'The same signer is recovered from more than one signature.'],
    });
  });
});
