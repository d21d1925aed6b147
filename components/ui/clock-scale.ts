import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { KeeperActivity } from '@/lib/domain/diagnosis/keeper-activity';
import { spanText } from '@/lib/domain/diagnosis/span-text';

/** All widths and places in percent of the bar. */
export type ClockScale = {
  stretches: { kind: KeeperActivity['kind']; width: number }[];
  ticks: { label: string; at: number }[];
  place: number;
  /** The age lies behind the end of the bar. */
  beyond?: 'yes';
};

/** The bar reaches so much further than the time when a process has given up: older ages all stand at its end. */
const REACH = 1.25;
/** Two labels that are closer stand on each other. */
const CLOSEST = 9;

/** Where the bounds of the settings and an age lie on a bar that begins at 0. */
export function clockScale(ageMs: number, settings: DiagnosisSettings): ClockScale {
  const bounds = [settings.slowAfterS, settings.retryBudgetS, settings.stuckAfterS];
  const endMs = Math.max(1, settings.stuckAfterS * 1000 * REACH);
  const at = (ms: number) => rounded((Math.min(Math.max(0, ms), endMs) / endMs) * 100);
  const [slow = 0, retry = 0, stuck = 0] = bounds.map((s) => at(s * 1000));
  const ticks = [0, ...bounds].map((s) => ({ label: s === 0 ? '0' : spanText(s * 1000), at: at(s * 1000) }));
  return {
    stretches: [
      { kind: 'first-tries', width: slow },
      { kind: 'retrying', width: rounded(retry - slow) },
      { kind: 'last-look', width: rounded(stuck - retry) },
      { kind: 'given-up', width: rounded(100 - stuck) },
    ],
    ticks: withRoom(ticks),
    place: at(ageMs),
    ...(ageMs > endMs ? { beyond: 'yes' } : {}),
  };
}

/** Later bounds matter more: an earlier label that a later one would cover is left out. */
function withRoom(ticks: readonly { label: string; at: number }[]): { label: string; at: number }[] {
  const kept: { label: string; at: number }[] = [];
  for (const tick of ticks.toReversed()) {
    const later = kept.at(-1);
    if (later === undefined || later.at - tick.at >= CLOSEST) kept.push(tick);
  }
  return kept.reverse();
}

function rounded(percent: number): number {
  return Math.round(percent * 100) / 100;
}
