/** What the sandbox is started with when it runs alone. */
export type SandboxSettings = { port: number; seed: number; records: number };

export type ReadSettings = { ok: true; settings: SandboxSettings } | { ok: false; problem: string };

const NUMBERS = [
  { variable: 'SANDBOX_PORT', member: 'port', fallback: 4010, max: 65_535 },
  { variable: 'SANDBOX_SEED', member: 'seed', fallback: 1, max: Number.MAX_SAFE_INTEGER },
  { variable: 'SANDBOX_RECORDS', member: 'records', fallback: 50_000, max: 2_000_000 },
] as const;

/** Reads the settings of the sandbox; a problem is one line that names the variable, never its value. */
export function readSandboxSettings(env: Record<string, string | undefined>): ReadSettings {
  const settings: SandboxSettings = { port: 0, seed: 0, records: 0 };
  for (const { variable, member, fallback, max } of NUMBERS) {
    const text = env[variable]?.trim();
    const value = text === undefined || text === '' ? fallback : /^\d{1,16}$/.test(text) ? Number(text) : -1;
    if (value < 0 || value > max) {
      return { ok: false, problem: `${variable} must be a whole number from 0 to ${max}` };
    }
    settings[member] = value;
  }
  return { ok: true, settings };
}
