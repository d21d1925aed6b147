import type { Environment } from './secret';
import { readSettings, SettingsError } from './settings';

/** The line that a start with these settings ends with. */
export function refusal(env: Environment): string {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'not refused';
}
