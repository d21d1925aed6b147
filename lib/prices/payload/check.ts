import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import type { DecodedUpdate, PayloadSignature, ProvenMessage } from './decode';

/** The guardians sign the keccak-256 of the keccak-256 of the body. */
const signedDigest = (body: Uint8Array): Uint8Array => keccak_256(keccak_256(body));

/** Lower-case hex with `0x`; undefined for an impossible signature. A different digest yields a different address. */
function recoverSigner(
  digest: Uint8Array,
  { r, s, recovery }: Pick<PayloadSignature, 'r' | 's' | 'recovery'>,
): `0x${string}` | undefined {
  try {
    const signature = secp256k1.Signature.fromBytes(concatBytes(r, s), 'compact').addRecoveryBit(recovery);
    const key = signature.recoverPublicKey(digest).toBytes(false);
    return `0x${bytesToHex(keccak_256(key.subarray(1)).subarray(12))}`;
  } catch {
    return undefined;
  }
}

/** Merkle root, 20 bytes: leaf = H(0 ‖ message), node = H(1 ‖ smaller ‖ larger). */
function provenRoot({ raw, proof }: Pick<ProvenMessage, 'raw' | 'proof'>): string {
  const hash = (...parts: Uint8Array[]) => keccak_256(concatBytes(...parts)).subarray(0, 20);
  const root = proof.reduce(
    (node, sibling) =>
      bytesToHex(node) <= bytesToHex(sibling)
        ? hash(Uint8Array.of(1), node, sibling)
        : hash(Uint8Array.of(1), sibling, node),
    hash(Uint8Array.of(0), raw),
  );
  return bytesToHex(root);
}

/** Contracts before and after the upgrade of 26 August 2026. */
export const GENERATIONS = {
  'before-upgrade': {
    name: 'Before the upgrade',
    format: 'old format',
    meaning: 'Only the contract from before the upgrade accepts it, if the signers are its guardians.',
  },
  upgraded: {
    name: 'Upgraded',
    format: 'new format',
    meaning: 'Only the upgraded contract accepts it, if the signers are its guardians.',
  },
  unknown: {
    name: 'Unknown',
    format: 'unknown format',
    meaning: 'No contract is likely to accept it: neither 13 of 19 distinct signers nor 3 of 5.',
  },
};

/** Small sets first. Source: the observed behaviour of the service. */
export const QUORUMS = [
  { generation: 'upgraded', quorum: 3, setSize: 5 },
  { generation: 'before-upgrade', quorum: 13, setSize: 19 },
] as const;

/**
 * The generation by its quorum: 13 or more of 19 distinct signers before the upgrade, 3 to 5 of 5 after it. The
 * guardians are unknown here, so anybody's signatures in such numbers look the same.
 */
export function generationOf(
  { signatures }: Pick<DecodedUpdate, 'signatures'>,
  signers: readonly (string | undefined)[],
): keyof typeof GENERATIONS {
  const count = signatures.length;
  const distinct = (values: readonly unknown[]) => new Set(values).size === count;
  if (signers.includes(undefined) || !distinct(signers) || !distinct(signatures.map(({ index }) => index)))
    return 'unknown';
  const fits = QUORUMS.find(
    ({ quorum, setSize }) =>
      count >= quorum && count <= setSize && signatures.every(({ index }) => index < setSize),
  );
  return fits?.generation ?? 'unknown';
}

export type UpdateCheck = ReturnType<typeof checkUpdate>;

/** Checks in the order of signatures and messages. Each signature takes about 2 ms. */
export function checkUpdate(update: DecodedUpdate) {
  const digest = signedDigest(update.signed);
  const signers = update.signatures.map((signature) => recoverSigner(digest, signature));
  const root = bytesToHex(update.root);
  return {
    digest: `0x${bytesToHex(digest)}`,
    signers,
    /** Whether the proof of each message leads to the signed root. */
    proofs: update.updates.map((proven) => provenRoot(proven) === root),
    generation: generationOf(update, signers),
  };
}
