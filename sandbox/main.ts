import { readSandboxSettings, SANDBOX_KEY, startSandbox } from './start';

/** The simulated services alone, until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const read = readSandboxSettings(process.env);
  if (!read.ok) {
    console.error(read.problem);
    process.exitCode = 1;
    return;
  }
  const sandbox = await startSandbox(read.settings);
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
