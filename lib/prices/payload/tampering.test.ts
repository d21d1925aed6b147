import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generationOf, provesMessage, recoverSigner, recoverSigners, signedDigest } from './check';
import { type DecodedUpdate, decodeUpdate } from './decode';
import { decoded, partAt, vectorBytes } from './vector-fixture';

const whole = decoded(vectorBytes());
const signers = recoverSigners(whole);
const CHEAP = { body: whole.body.offset, end: whole.vaa.offset + whole.vaa.length };

/** What a reader would see of a change: the first thing that is not as in the true update. */
function whatIsSeen(bytes: Uint8Array, at: number): string | undefined {
  const update = decodeUpdate(bytes);
  if (update.kind === 'fault') {
    const isThere = update.offset >= 0 && update.offset <= bytes.length && update.problem !== '';
    return isThere ? 'fault' : undefined;
  }
  if (update.remarks.length > 0) return 'remark';
  if (update.vaa.setIndex !== whole.vaa.setIndex) return 'set index';
  if (at >= CHEAP.body && at < CHEAP.end) return signerDiffers(update, 0) ? 'signer' : undefined;
  if (update.updates.some((one) => !provesMessage(one, update.body.payload.root))) return 'proof';
  return signatureDiffers(update);
}

function signerDiffers(update: DecodedUpdate, at: number): boolean {
  const signature = update.vaa.signatures[at];
  if (signature === undefined) return true;
  const signer = recoverSigner(signedDigest(update.body.bytes), signature);
  return JSON.stringify(signer) !== JSON.stringify(signers[at]);
}

/** Only the signature that was changed is recovered: it costs milliseconds. */
function signatureDiffers(update: DecodedUpdate): string | undefined {
  const text = ({ r, s, recovery }: DecodedUpdate['vaa']['signatures'][number]) =>
    `${Buffer.from(r).toString('hex')} ${Buffer.from(s).toString('hex')} ${recovery}`;
  for (const [at, signature] of update.vaa.signatures.entries()) {
    const before = whole.vaa.signatures[at];
    if (before === undefined || before.index !== signature.index) return 'index';
    if (text(before) !== text(signature) && signerDiffers(update, at)) return 'signer';
  }
  return undefined;
}

describe('an update that was tampered with', () => {
  it('shows it, whichever byte was flipped', { timeout: 60_000 }, () => {
    const unseen: string[] = [];
    const seen = new Set<string>();
    for (let at = 0; at < whole.size; at++) {
      const bytes = vectorBytes();
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      const sign = whatIsSeen(bytes, at);
      if (sign === undefined) unseen.push(`${at} ${partAt(whole, at)}`);
      else seen.add(sign);
    }
    expect(unseen).toEqual([]);
    // Each of the ways to see it is used: a test that always finds a fault would prove nothing.
    expect([...seen].sort()).toEqual(['fault', 'index', 'proof', 'remark', 'set index', 'signer'].sort());
  });

  it('shows it, whichever bit of the message, the proof or the header was flipped', () => {
    const outside = Array.from({ length: whole.size }, (_, at) => at).filter(
      (at) => at < 16 || at >= CHEAP.end,
    );
    fc.assert(
      fc.property(fc.constantFrom(...outside), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const bytes = vectorBytes();
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(whatIsSeen(bytes, at)).toBeDefined();
      }),
      { numRuns: 400 },
    );
  });

  it('is of no known generation once a signature leads to nobody', () => {
    const bytes = vectorBytes();
    const [first] = whole.vaa.signatures;
    if (first === undefined) throw new Error('no signature');
    bytes.fill(0xff, first.offset + 1, first.offset + 33);
    const verdict = generationOf(decoded(bytes));
    expect(verdict.generation).toBe('unknown');
    expect(verdict.reasons.join(' ')).toContain('No signer can be recovered from 1 of the 13 signatures');
  });
});
