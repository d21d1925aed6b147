import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { DecodedUpdate, PayloadSignature } from './decode-update';

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
