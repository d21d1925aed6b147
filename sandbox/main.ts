import { SANDBOX_KEY, startSandbox } from './start';

/** An error names the variable, but never its value. */
function setting(name: string, absent: number, max: number): number {
  const text = process.env[name]?.trim() || String(absent);
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= max) return value;
  throw new Error(`${name} must be a whole number from 0 to ${max}`);
}

async function main(): Promise<void> {
  const sandbox = await startSandbox({
    port: setting('SANDBOX_PORT', 4010, 65_535),
    seed: setting('SANDBOX_SEED', 1, Number.MAX_SAFE_INTEGER),
    records: setting('SANDBOX_RECORDS', 50_000, 2_000_000),
  });
  const { logs, updates, upgraded, router, rpc, control } = sandbox.addresses;
  const nodes = Object.entries(rpc).map(([networkId, url]) => `${networkId}=${url}`);
  console.error(`Sandbox on ${sandbox.origin} with the key ${SANDBOX_KEY}
  LOGS_URL=main=${logs.main},test=${logs.test}
  UPDATES_URL=${updates}
  UPGRADED_UPDATES_URL=${upgraded}
  ROUTER_URL=${router}
  RPC_URLS=${nodes.join()}
  control ${control}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => sandbox.close().then(() => process.exit(0)));
  }
}

main().catch((error: unknown) => {
  console.error(`The sandbox could not start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exitCode = 1;
});
