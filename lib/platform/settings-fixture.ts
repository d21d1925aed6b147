import { processWide } from './process-wide';
import type { Settings } from './settings';

/** Replaces the settings; if undefined, they are read again on next use. */
export const replaceSettings = processWide<Settings>('settings').set;
