import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import type { DecodedUpdate, PayloadSignature, ProvenMessage } from './decode';

/** The guardians sign the keccak-256 of the keccak-256 of the body. */
const signedDigest = (body: Uint8Array): Uint8Array => keccak_256(keccak_256(body));

/** Contracts recover no signer from a higher one. */
const MAX_RECOVERY_ID = 1;

/** Lower-case hex with `0x`; undefined for an impossible signature. A different digest yields a different address. */
function recoverSigner(
  digest: Uint8Array,
  { r, s, recovery }: Pick<PayloadSignature, 'r' | 's' | 'recovery'>,
): `0x${string}` | undefined {
  if (recovery > MAX_RECOVERY_ID) return undefined;
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
    meaning:
      'Meant for the contract from before the upgrade; accepted if the signers are its guardians and the proofs are valid.',
    signed: 'A quorum of 19 guardians needs 13.',
  },
  upgraded: {
    name: 'Upgraded',
    format: 'new format',
    meaning:
      'Meant for the upgraded contract; accepted if the signers are its guardians and the proofs are valid.',
    signed: 'A quorum of 5 guardians needs 3.',
  },
  unknown: {
    name: 'Unknown',
    format: 'unknown format',
    meaning:
      'No contract is likely to accept it: it takes 13 of 19 or 3 of 5 distinct signers, each signature valid.',
    signed: 'No quorum of a known guardian set.',
  },
  unordered: {
    name: 'Unknown',
    format: 'unknown format',
    meaning: 'No contract accepts it: guardian indices are not ascending.',
    signed: 'Not in ascending order of their guardian index.',
  },
};

/** Small sets first. Source: the observed behaviour of the service. */
const QUORUMS = [
  { generation: 'upgraded', quorum: 3, setSize: 5 },
  { generation: 'before-upgrade', quorum: 13, setSize: 19 },
] as const;

export const isAcceptable = (generation: keyof typeof GENERATIONS) =>
  QUORUMS.some((entry) => entry.generation === generation);

/**
 * The generation by its quorum: 13 or more of 19 distinct signers before the upgrade, 3 to 5 of 5 after it. The
 * guardians are unknown here, so anybody's signatures in such numbers look the same. Contracts refuse indices that do
 * not ascend.
 */
export function signerGeneration(
  { signatures }: Pick<DecodedUpdate, 'signatures'>,
  signers: readonly (string | undefined)[],
): keyof typeof GENERATIONS {
  const count = signatures.length;
  if (signers.includes(undefined) || new Set(signers).size !== count) return 'unknown';
  const fits = QUORUMS.find(
    ({ quorum, setSize }) =>
      count >= quorum && count <= setSize && signatures.every(({ index }) => index < setSize),
  );
  if (fits === undefined) return 'unknown';
  const isAscending = signatures.every(({ index }, at) => index > (signatures[at - 1]?.index ?? -1));
  return isAscending ? fits.generation : 'unordered';
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
    generation: signerGeneration(update, signers),
  };
}
