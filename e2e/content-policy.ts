import { type BrowserContext, expect } from '@playwright/test';

/**
 * Lets a test run, and then holds it to the content security policy: the browser said of nothing that the policy kept it
 * out. For a fixture that every test has.
 */
export async function withoutViolations(context: BrowserContext, run: () => Promise<void>): Promise<void> {
  const said: string[] = [];
  context.on('console', (message) => {
    if (/content security policy/i.test(message.text())) said.push(message.text());
  });
  await run();
  expect(said).toEqual([]);
}
