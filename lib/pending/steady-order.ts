import { bySeverity, type Severity } from '@/lib/pending/rules/verdict';

type Ordered = { id: string; severity: Severity };

/**
 * The gravest first; of the same severity those that were on screen stay in the order they had, and new ones follow in the
 * order given: nothing moves under a reader's eyes because one grew by a request.
 * @param before ids in the order that is on screen
 */
export function steadyOrder<T extends Ordered>(items: readonly T[], before: readonly string[]): T[] {
  const places = new Map(before.map((id, index) => [id, index]));
  const given = new Map(items.map(({ id }, index) => [id, before.length + index]));
  const placeOf = ({ id }: T) => places.get(id) ?? given.get(id) ?? 0;
  return [...items].sort(
    (one, other) => bySeverity(one.severity, other.severity) || placeOf(one) - placeOf(other),
  );
}
