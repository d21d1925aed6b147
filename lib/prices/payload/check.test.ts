import { expect, it } from 'vitest';
import { payloadVerdict } from './check';

const signers = ['0x01', '0x02', '0x03'] as const;
const proofs = [true, true];
const generation = 'upgraded';
const ACCEPTED = 'Accepted by the upgraded contract if its own guardians signed.';
const good = { signers, proofs, generation } as const;

it.each([
  ['good', good, 'good', 'Valid', ACCEPTED],
  ['alone', good, undefined, 'Valid', ACCEPTED],
  ['beside another parsed form', good, 'bad', 'Valid, but the parsed form differs', ACCEPTED],
  [
    'with a message that was changed',
    { ...good, proofs: [true, false] },
    'good',
    'Not valid',
    'Proofs that miss the signed root: 1 of 2.',
  ],
  [
    'with an impossible signature',
    { ...good, signers: ['0x01', undefined, '0x03'], generation: 'unknown' },
    'good',
    'Not valid',
    'Signatures without a signer: 1 of 3.',
  ],
  [
    'of too few signers',
    { ...good, generation: 'unknown' },
    'good',
    'Not valid',
    'No quorum of a known guardian set.',
  ],
  ['without a message', { ...good, proofs: [] }, undefined, 'Not valid', 'It has no message.'],
] as const)('the verdict on a payload %s', (_, check, parsedTone, title, text) => {
  expect(
    payloadVerdict({ ...check, signers: [...check.signers], proofs: [...check.proofs] }, parsedTone),
  ).toMatchObject({ title, text });
});
