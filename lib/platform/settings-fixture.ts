import { processWide } from './process-wide';
import type { Settings } from './settings';

/** Replaces the settings of the process; undefined: read again on next use. */
export const replaceSettings = processWide<Settings>('settings').set;
