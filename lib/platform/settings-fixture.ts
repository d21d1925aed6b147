import { processWide } from './process-wide';
import type { Settings } from './settings';

/** With undefined, the settings are read again on next use. */
export const replaceSettings = processWide<Settings>('settings').set;
