import type { Problem } from '@/lib/insights/problem';

/** The tone of the most severe incident; a warning if none is listed. */
export function stuckTone(problems: readonly Problem[] = [], networkId?: string): 'bad' | 'warn' {
  const isCritical = problems.some(
    ({ kind, level, networks }) =>
      kind === 'incident' && level === 'bad' && (networkId === undefined || networks.includes(networkId)),
  );
  return isCritical ? 'bad' : 'warn';
}
