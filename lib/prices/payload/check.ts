import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import type { DecodedUpdate, PayloadSignature, ProvenMessage } from './decode';

/** The guardians sign the keccak-256 of the keccak-256 of the body. */
const signedDigest = (body: Uint8Array): Uint8Array => keccak_256(keccak_256(body));

/** The ecrecover of contracts rejects higher recovery ids. */
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
    contract: 'the contract from before the upgrade',
    meaning: 'For the contract from before 26 August 2026.',
    signed: 'A quorum of 19 guardians needs 13.',
  },
  upgraded: {
    name: 'Upgraded',
    format: 'new format',
    contract: 'the upgraded contract',
    meaning: 'For the contract since 26 August 2026.',
    signed: 'A quorum of 5 guardians needs 3.',
  },
  unknown: {
    name: 'Unknown',
    format: 'unknown format',
    contract: 'any contract',
    meaning: 'It takes 13 of 19 or 3 of 5 distinct signers, each signature valid.',
    signed: 'No quorum of a known guardian set.',
  },
  unordered: {
    name: 'Unknown',
    format: 'unknown format',
    contract: 'any contract',
    meaning: 'Contracts take guardian indices in ascending order only.',
    signed: 'Guardian indices are not in ascending order.',
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

/** Whether a contract would take the payload, and if not, why. Its guardians are unknown here. */
export function payloadVerdict(
  { signers, proofs, generation }: Pick<UpdateCheck, 'signers' | 'proofs' | 'generation'>,
  parsedTone: 'good' | 'warn' | 'bad' | undefined,
) {
  const invalidCount = signers.filter((signer) => signer === undefined).length;
  const unprovenCount = proofs.filter((isValid) => !isValid).length;
  const { contract, signed } = GENERATIONS[generation];
  const faults = [
    invalidCount > 0 && `Signatures without a signer: ${invalidCount} of ${signers.length}.`,
    invalidCount === 0 && !isAcceptable(generation) && signed,
    unprovenCount > 0 && `Proofs that miss the signed root: ${unprovenCount} of ${proofs.length}.`,
    proofs.length === 0 && 'It has no message.',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) return { tone: 'bad', title: 'Not valid', text: faults.join(' ') } as const;
  const text = `Accepted by ${contract} if its own guardians signed.`;
  return parsedTone === 'bad'
    ? ({ tone: 'bad', title: 'Valid, but the parsed form differs', text } as const)
    : ({ tone: 'good', title: 'Valid', text } as const);
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
