import { bytesToHex } from '@noble/hashes/utils.js';
import type { DecodedUpdate } from './decode-update';
import { type GenerationVerdict, generationOf } from './generation';
import { provenRoot } from './proofs';
import { recoverSigner, type SignerVerdict, signedDigest } from './signers';

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
