import { SANDBOX_KEY, startSandbox } from './start';

const NUMBERS = {
  SANDBOX_PORT: { absent: 4010, max: 65_535 },
  SANDBOX_SEED: { absent: 1, max: Number.MAX_SAFE_INTEGER },
  SANDBOX_RECORDS: { absent: 50_000, max: 2_000_000 },
};

/** A problem names the variable, never its value. */
function setting(name: keyof typeof NUMBERS): number {
  const { absent, max } = NUMBERS[name];
  const text = process.env[name]?.trim() ?? '';
  const value = text === '' ? absent : /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= max) return value;
  throw new Error(`${name} must be a whole number from 0 to ${max}`);
}

/** The simulated services alone, until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const [port, seed, records] = [
    setting('SANDBOX_PORT'),
    setting('SANDBOX_SEED'),
    setting('SANDBOX_RECORDS'),
  ];
  const sandbox = await startSandbox({ port, seed, records });
  const { logs, updates, upgraded, router, control } = sandbox.addresses;
  console.error(
    [
      `Sandbox on ${sandbox.origin} with the key ${SANDBOX_KEY}`,
      `  LOGS_URL=main=${logs.main},test=${logs.test}`,
      `  UPDATES_URL=${updates}`,
      `  UPGRADED_UPDATES_URL=${upgraded}`,
      `  ROUTER_URL=${router}`,
      `  control ${control}`,
    ].join('\n'),
  );
  const end = () => {
    sandbox.close().then(() => process.exit(0));
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

main().catch((error: unknown) => {
  console.error(`The sandbox could not start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exitCode = 1;
});
