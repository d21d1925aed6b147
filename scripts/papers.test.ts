import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const tracked = execFileSync('git', ['ls-files'], { maxBuffer: 100_000_000 }).toString().split('\n');
const papers = tracked.filter((file) => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(file));

it.each(papers)('%s links to files that exist', (paper) => {
  const text = readFileSync(paper, 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target);
  expect(targets.filter((target) => !existsSync(join(dirname(paper), target)))).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names files of the code that exist', (paper) => {
  const quoted = [...readFileSync(paper, 'utf8').matchAll(/`([\w@./[\]-]+\.(?:tsx?|css|mjs|sol))`/g)];
  const names = new Set(quoted.map(([, name = '']) => name));
  const lost = [...names].filter(
    (name) => !tracked.some((file) => file === name || file.endsWith(`/${name}`)),
  );
  expect(names.size).toBeGreaterThan(25);
  expect(lost).toEqual([]);
});
