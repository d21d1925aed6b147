import 'server-only';
import { readSettings, type Settings } from './env';
import { processWide } from './process-wide';

const kept = processWide<Settings>('settings');

/**
 * The settings this process runs with, read when first asked for. Apart from the services, so that the proxy and the
 * guard don't carry the clients along.
 * @throws SettingsError when they can't be used; the start has already ended the process then
 */
export function currentSettings(): Settings {
  const settings = kept.get() ?? readSettings(process.env);
  kept.set(settings);
  return settings;
}

/** Runs with these settings from now on; undefined means those of the environment. */
export function replaceSettings(settings: Settings | undefined): void {
  kept.set(settings);
}
