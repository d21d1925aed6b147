import 'server-only';

/** The settings can't be used. The message is one line for the operator: which variable, and what it should look like. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Environment variables as the process has them; an empty text counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of a variable, or undefined when it is not set or empty. */
export function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** Stops the start with one line. The line never holds the variable's value. */
export function refuseSetting(line: string): never {
  throw new SettingsError(line);
}
