import type { DecodedUpdate } from './decode-update';
import { recoverSigners, type SignerVerdict } from './signers';

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
