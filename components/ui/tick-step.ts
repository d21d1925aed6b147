export type Step = 'next' | 'previous' | 'first' | 'last';

/** The control that a step leads to, among the enabled ones marked `data-step`; the ends do not join. */
export function stepTarget(
  root: HTMLElement | null,
  from: HTMLElement | undefined,
  step: Step,
): HTMLElement | undefined {
  const stops = [...(root?.querySelectorAll<HTMLElement>('[data-step]:not(:disabled)') ?? [])];
  return stops[stepIndex(stops.length, from === undefined ? -1 : stops.indexOf(from), step)];
}

/** The same by numbers. */
export function stepIndex(count: number, from: number, step: Step): number {
  switch (step) {
    case 'first':
      return 0;
    case 'last':
      return count - 1;
    case 'next':
      return Math.min(count - 1, from + 1);
    case 'previous':
      return Math.max(0, from - 1);
  }
}
