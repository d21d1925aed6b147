import type { IconName } from './icons';

/** A shape of its own for each state, so that none is told by colour alone. */
export const SERVICE_ICONS: Record<'ok' | 'failing' | 'unknown' | 'unconfigured', IconName> = {
  ok: 'check',
  failing: 'alert',
  unknown: 'dotted',
  unconfigured: 'dash',
};
