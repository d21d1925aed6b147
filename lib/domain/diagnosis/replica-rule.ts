import { ageRuleOf, notPending } from './age-rules';
import { unseen, used } from './evidence';
import { normalAge } from './finished-durations';
import { ageOf, isPending, isSameLane } from './logged-row';
import { percentFloor } from './network-wide';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';

/** R13: so many pending numbers, of which so many percent leave the same rest. */
export const ONE_REPLICA = { pending: 8, percent: 90 } as const;

/** The larger first: numbers that agree by 4 agree by 2 as well. */
const MODULI = [4, 3, 2] as const;

export type ReplicaPattern = { modulus: number; remainder: number; sharing: number; pending: number };

/**
 * The rest that most of the numbers leave by 4, 3 or 2, if enough of them do. A number counts once: its twins say
 * nothing more about who should have taken it.
 * @param unseenNumbers numbers nobody has seen, taken for ones that leave another rest
 */
export function replicaPattern(sequences: readonly bigint[], unseenNumbers = 0): ReplicaPattern | undefined {
  const counts = new Array<number>(12).fill(0);
  const distinct = new Set(sequences);
  for (const sequence of distinct)
    counts[remainderOf(sequence, 12)] = (counts[remainderOf(sequence, 12)] ?? 0) + 1;
  const pending = distinct.size;
  if (pending < ONE_REPLICA.pending) return undefined;
  for (const modulus of MODULI) {
    const sums = new Array<number>(modulus).fill(0);
    for (const [rest, count] of counts.entries()) sums[rest % modulus] = (sums[rest % modulus] ?? 0) + count;
    const sharing = Math.max(...sums);
    if (sharing * 100 >= (pending + unseenNumbers) * ONE_REPLICA.percent) {
      return { modulus, remainder: sums.indexOf(sharing), sharing, pending };
    }
  }
  return undefined;
}

export function remainderOf(sequence: bigint, modulus: number): number {
  const rest = Number(sequence % BigInt(modulus));
  return rest < 0 ? rest + modulus : rest;
}

export function replicaHeadline({ modulus, sharing, pending }: ReplicaPattern): string {
  const which = sharing === pending ? `All ${pending}` : `${sharing} of ${pending}`;
  return `${which} pending numbers leave the same remainder when divided by ${modulus}: may be one replica (hint)`;
}

export function replicaFigures({ modulus, remainder, sharing, pending }: ReplicaPattern): Figure[] {
  return [
    { label: 'Pending numbers past normal', value: pending, unit: 'rows' },
    { label: 'Sharing the remainder', value: sharing, unit: 'rows' },
    { label: 'Share', value: percentFloor(sharing, pending), unit: 'percent' },
    { label: 'Number modulo', value: `${modulus} is ${remainder}`, unit: 'text' },
  ];
}

/**
 * R13. 90 % or more of 8 pending or more, of one network and provider (E1), share sequence mod 2, 3 or 4, and this
 * request does. Pending within normal is left out.
 */
export const replicaRule: Rule = (request, evidence, settings, nowMs) => {
  const refused = notPending('R13', request);
  if (refused !== undefined) return refused;
  const { pending } = evidence;
  if (pending.kind === 'missing') return cannotTell('R13', `All pending rows: ${pending.why}`);
  if (request.provider === undefined) return cannotTell('R13', 'The row names no provider');
  const normal = normalAge(evidence.finished, settings);
  const rows = pending.value.rows.filter(
    (row) =>
      isPending(row) &&
      row.keeper === request.keeper &&
      isSameLane(request, row) &&
      ageRuleOf(ageOf(row, nowMs), normal, settings) !== 'R1',
  );
  const hidden = unseen(pending.value);
  const shared = { evidence: used(['E1', pending]) };
  const numbers = rows.map((row) => BigInt(row.sequence));
  const pattern = replicaPattern(numbers, hidden);
  if (pattern !== undefined) {
    const sharing = rows.filter((row) => isSharing(BigInt(row.sequence), pattern));
    const found = { figures: replicaFigures(pattern), proof: sharing.map(({ key }) => key), ...shared };
    return isSharing(BigInt(request.sequence), pattern)
      ? holds('R13', 'notice', { headline: replicaHeadline(pattern), covers: pattern.sharing, ...found })
      : doesNotHold('R13', { headline: 'Others share a remainder; this number does not', ...found });
  }
  if (hidden > 0) return cannotTell('R13', `${countText(hidden, 'pending row')} not seen`, shared);
  const few = new Set(numbers).size;
  if (few < ONE_REPLICA.pending) {
    const why = `only ${few} pending past normal; ${ONE_REPLICA.pending} are needed`;
    return doesNotHold('R13', { headline: `No pattern can be told: ${why}`, ...shared });
  }
  return doesNotHold('R13', { headline: 'The pending numbers share no remainder by 2, 3 or 4', ...shared });
};

export function isSharing(sequence: bigint, { modulus, remainder }: ReplicaPattern): boolean {
  return remainderOf(sequence, modulus) === remainder;
}
