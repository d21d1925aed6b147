import type { DiagnosisSettings } from './diagnosis-settings';
import { spanText } from './span-text';

/** What the keeper is probably doing about a pending request of some age, by its settings alone. */
export type KeeperActivity = {
  kind: 'first-tries' | 'retrying' | 'last-look' | 'given-up';
  /** One sentence without full stop. */
  text: string;
  /** Milliseconds until the next of the four; undefined for the last. */
  remainingMs?: number;
};

/** @param ageMs since the row appeared; negative ones count as 0 */
export function keeperActivity(ageMs: number, settings: DiagnosisSettings): KeeperActivity {
  const age = Math.max(0, ageMs);
  const [slow, retry, stuck] = [settings.slowAfterS, settings.retryBudgetS, settings.stuckAfterS].map(
    (s) => s * 1000,
  ) as [number, number, number];
  if (age < slow) {
    const text = 'Most likely sending its first tries';
    return { kind: 'first-tries', text, remainingMs: slow - age };
  }
  if (age <= retry) {
    const text = `Should still be retrying, with fees raised step by step, for about ${spanText(retry - age)} more`;
    return { kind: 'retrying', text, remainingMs: retry - age };
  }
  if (age <= stuck) {
    const text = 'At the end of its retries: a last try or the final look-up may still be under way';
    return { kind: 'last-look', text, remainingMs: stuck - age };
  }
  return { kind: 'given-up', text: 'This process has most likely given up on it' };
}
