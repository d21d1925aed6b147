import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_GROUPS } from './fault-list';
import { seenInBrowser } from './fault-report';
import { bodyOf, hasTitle } from './fault-titles';

const faults = FAULT_GROUPS.flatMap((group) => group.faults);
const tests = faults.flatMap((fault) => fault.tests);
const source = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

describe('the list of faults', () => {
  it('names each fault of a group once, and for each at least one test', () => {
    for (const { heading, faults } of FAULT_GROUPS) {
      const names = faults.map(({ what }) => what);
      expect([heading, new Set(names).size]).toEqual([heading, names.length]);
    }
    expect(faults.filter((fault) => fault.tests.length === 0)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const gone = tests.filter(({ file, title }) => !hasTitle(source(file), title));
    expect(gone).toEqual([]);
  });

  it('names only tests that a runner runs', () => {
    const odd = tests.filter(
      ({ file }) => !/^(e2e\/[^/]+\.spec|(lib|sandbox|components)\/.+\.test)\.ts$/.test(file),
    );
    expect(odd).toEqual([]);
  });

  it('says of a test that it looks at a screen only where it has a page', () => {
    const blind = tests
      .filter(({ seenIn }) => seenIn === 'browser')
      .filter(({ file, title }) => !/\b(pages?|context|newPage)\b/.test(bodyOf(source(file), title)));
    expect(blind).toEqual([]);
  });

  it('asserts at least 25 faults in a browser', () => {
    expect(seenInBrowser(FAULT_GROUPS)).toBeGreaterThanOrEqual(25);
  });
});
