import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { DecodedUpdate, PayloadSignature, ProvenMessage } from './decode';

/** Who signed, or why that cannot be told. Addresses are lower-case hex with `0x`, as contracts compute them. */
export type SignerVerdict =
  | { readonly kind: 'signer'; readonly address: `0x${string}` }
  | { readonly kind: 'unrecoverable'; readonly problem: string };

/** What the guardians sign: keccak-256 of keccak-256 of the body. */
export function signedDigest(body: Uint8Array): Uint8Array {
  return keccak_256(keccak_256(body));
}

/** The address whose key made this signature over the digest. Any other digest leads to another, random address. */
export function recoverSigner(
  digest: Uint8Array,
  { r, s, recovery }: Pick<PayloadSignature, 'r' | 's' | 'recovery'>,
): SignerVerdict {
  if (recovery > 3) {
    return { kind: 'unrecoverable', problem: `The recovery id is ${recovery}; it is 0 to 3.` };
  }
  try {
    const compact = new Uint8Array(64);
    compact.set(r);
    compact.set(s, 32);
    const signature = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(recovery);
    const key = signature.recoverPublicKey(digest).toBytes(false);
    return { kind: 'signer', address: `0x${bytesToHex(keccak_256(key.subarray(1)).subarray(12))}` };
  } catch {
    // The library throws where r or s is no number of the curve, or no point belongs to r.
    return { kind: 'unrecoverable', problem: 'No key can have made this signature.' };
  }
}

/** The signers in the order of the signatures. About two milliseconds each: of many, take `checkUpdate` step by step. */
export function recoverSigners(update: DecodedUpdate): SignerVerdict[] {
  const digest = signedDigest(update.body.bytes);
  return update.vaa.signatures.map((signature) => recoverSigner(digest, signature));
}

/** Hashes of the tree are the first 20 bytes of keccak-256. */
const HASH_BYTES = 20;
const LEAF = 0x00;
const NODE = 0x01;

function shortHash(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes).subarray(0, HASH_BYTES);
}

/** -1, 0 or 1 by the first byte that differs; both of one length. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** The root (20 bytes) that a message and its proof lead to: leaf = H(0 ‖ message), node = H(1 ‖ smaller ‖ larger). */
export function provenRoot({ raw, proof }: Pick<ProvenMessage, 'raw' | 'proof'>): Uint8Array {
  const leaf = new Uint8Array(1 + raw.length);
  leaf[0] = LEAF;
  leaf.set(raw, 1);
  let hash = shortHash(leaf);
  const node = new Uint8Array(1 + 2 * HASH_BYTES);
  node[0] = NODE;
  for (const sibling of proof) {
    const [smaller, larger] = compareBytes(hash, sibling) <= 0 ? [hash, sibling] : [sibling, hash];
    node.set(smaller, 1);
    node.set(larger, 1 + HASH_BYTES);
    hash = shortHash(node);
  }
  return hash;
}

/** Which contract a payload is meant for: the one before the upgrade of 26 August 2026, or the upgraded one. */
export type PayloadGeneration = 'before-upgrade' | 'upgraded' | 'unknown';

export type GenerationVerdict = {
  readonly generation: PayloadGeneration;
  /** Sentences: the figures that decide it, and what speaks against it. */
  readonly reasons: readonly string[];
};

/** How many of a set have to sign. Source: the observed behaviour of the service, before and after the upgrade. */
const QUORUMS = {
  'before-upgrade': { quorum: 13, setSize: 19 },
  upgraded: { quorum: 3, setSize: 5 },
} as const;

type Signatures = { count: number; distinct: number; highest: number };

/** What counts against a payload of any generation. */
function faultsOf(update: DecodedUpdate, signers: readonly SignerVerdict[], counted: Signatures): string[] {
  const { signatures } = update.vaa;
  const lost = signers.filter(({ kind }) => kind === 'unrecoverable').length;
  const addresses = signers.flatMap((one) => (one.kind === 'signer' ? [one.address] : []));
  const reasons: string[] = [];
  if (counted.distinct < signatures.length) {
    reasons.push(`Only ${counted.distinct} of the ${signatures.length} signer indexes are distinct.`);
  }
  if (lost > 0)
    reasons.push(`No signer can be recovered from ${lost} of the ${signatures.length} signatures.`);
  if (new Set(addresses).size < addresses.length) {
    reasons.push('The same signer is recovered from more than one signature.');
  }
  return reasons;
}

/**
 * Tells the generation of a payload by its quorum: 13 or more of 19 signers before the upgrade, 3 to 5 of 5 after it. Who the
 * guardians are is not known here, so a payload that anybody signed in such numbers looks the same.
 * @param signers those of `recoverSigners`, when they are known already
 */
export function generationOf(
  update: DecodedUpdate,
  signers: readonly SignerVerdict[] = recoverSigners(update),
): GenerationVerdict {
  const { signatures, setIndex } = update.vaa;
  const indexes = signatures.map(({ index }) => index);
  const counted = {
    count: indexes.length,
    distinct: new Set(indexes).size,
    highest: Math.max(-1, ...indexes),
  };
  const figures = `${counted.count} ${counted.count === 1 ? 'signature' : 'signatures'} of guardian set ${setIndex}${
    counted.count === 0 ? '' : `, the highest signer index is ${counted.highest}`
  }.`;
  const faults = faultsOf(update, signers, counted);
  const generation = byQuorum(counted);
  if (generation === undefined || faults.length > 0) {
    const neither = 'That is neither 13 or more of 19 signers nor 3 or more of 5.';
    return {
      generation: 'unknown',
      reasons: [figures, ...(generation === undefined ? [neither] : []), ...faults],
    };
  }
  const { quorum, setSize } = QUORUMS[generation];
  const fits = `That fits a quorum of ${quorum} of ${setSize} signers, as ${
    generation === 'upgraded' ? 'the upgraded service signs' : 'guardians signed before the upgrade'
  }.`;
  const unchecked =
    'Each signature leads to another signer. Whether these are the guardians is not checked: anybody can sign so many times.';
  return { generation, reasons: [figures, fits, unchecked] };
}

function byQuorum({ count, highest }: Signatures): keyof typeof QUORUMS | undefined {
  // Small sets first: 3 of 5 would also be a part of 19, but never a quorum of it.
  return (['upgraded', 'before-upgrade'] as const).find((generation) => {
    const { quorum, setSize } = QUORUMS[generation];
    return count >= quorum && count <= setSize && highest < setSize;
  });
}

/** Whether the proof of a message leads to the signed root; `leadsTo` is the root that it leads to, hex without `0x`. */
export type ProofVerdict = { readonly kind: 'proven' | 'fails'; readonly leadsTo: string };

/** What can be computed about an update beyond reading it, in the order of its signatures and messages. */
export type UpdateCheck = {
  /** Lower-case hex without `0x`. */
  readonly digest: string;
  readonly signers: readonly SignerVerdict[];
  readonly proofs: readonly ProofVerdict[];
  readonly generation: GenerationVerdict;
};

/** Steps that `checkUpdate` takes: one for each signature and each proof. */
export function checkSteps(update: DecodedUpdate): number {
  return update.vaa.signatures.length + update.updates.length;
}

/**
 * Recovers the signers and verifies the proofs one by one. It pauses after each, so that the caller can stop or let others
 * have their turn; each step takes a few milliseconds at most. Yields the number of steps done.
 */
export function* checkUpdate(update: DecodedUpdate): Generator<number, UpdateCheck> {
  const digest = signedDigest(update.body.bytes);
  const signers: SignerVerdict[] = [];
  const proofs: ProofVerdict[] = [];
  for (const signature of update.vaa.signatures) {
    signers.push(recoverSigner(digest, signature));
    yield signers.length;
  }
  const root = bytesToHex(update.body.payload.root);
  for (const proven of update.updates) {
    const leadsTo = bytesToHex(provenRoot(proven));
    proofs.push({ kind: leadsTo === root ? 'proven' : 'fails', leadsTo });
    yield signers.length + proofs.length;
  }
  return { digest: bytesToHex(digest), signers, proofs, generation: generationOf(update, signers) };
}
