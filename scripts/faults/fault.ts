/** A test that shows what a fault comes to. */
export type FaultTest = {
  /** From the root of the project; those in `e2e` are run by Playwright, all others by Vitest. */
  file: string;
  /** The test's own title, without those of the blocks around it; `…` stands for any text, to name several at once. */
  title: string;
  /** Whether it asserts what somebody sees in a browser. */
  seenIn?: 'browser';
};

/** Something that goes wrong, in the words of the list of faults, and the tests that show what happens then. */
export type Fault = { what: string; tests: readonly FaultTest[] };

/** The faults under one heading. */
export type FaultGroup = { heading: string; faults: readonly Fault[] };

/** Tests of a file that need no browser. */
export function shown(file: string, ...titles: string[]): FaultTest[] {
  return titles.map((title) => ({ file, title }));
}

/** Tests of `e2e/<spec>.spec.ts` that assert what is on the screen. */
export function seen(spec: string, ...titles: string[]): FaultTest[] {
  return titles.map((title) => ({ file: `e2e/${spec}.spec.ts`, title, seenIn: 'browser' }));
}
