import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const copy = mkdtempSync(join(tmpdir(), 'rooms-'));
for (const file of ['biome.json', 'biome.rooms.json']) copyFileSync(file, join(copy, file));
afterAll(() => rmSync(copy, { recursive: true }));

/** What the lint says of a file with one import; the file stands in a folder of its own beside copies of the rules. */
function lint(file: string, imported: string): string {
  mkdirSync(join(copy, dirname(file)), { recursive: true });
  writeFileSync(join(copy, file), `import { x } from '${imported}';\nconsole.log(x);\n`);
  const biome = resolve('node_modules/@biomejs/biome/bin/biome');
  const run = spawnSync(process.execPath, [biome, 'lint', '--vcs-enabled=false', file], {
    cwd: copy,
    encoding: 'utf8',
  });
  rmSync(join(copy, file));
  return run.stdout + run.stderr;
}

const refused: [string, string, string][] = [
  ['lib/core/price.ts', '@/lib/upstream/http-service', 'lib/<feature>/server'],
  ['lib/core/price.ts', '../server/env', 'reach another folder through @/'],
  ['lib/upstream/request-log.ts', '@/lib/feeds/server/hub', 'lib/<feature>/server'],
  ['lib/store/index-store.ts', '@/lib/requests/server/listing', 'lib/<feature>/server'],
  ['lib/feeds/client/store.ts', '@/lib/feeds/server/hub', 'lib/feeds/server'],
  ['components/feeds/card.tsx', '@/components/requests/table', 'two features meet in app'],
  ['components/requests/table.tsx', '@/lib/upstream/request-log', 'lib/requests/server'],
  ['components/ui/button.tsx', '@/lib/requests/view', 'components/<feature>'],
  ['lib/server/gateway.ts', '@/sandbox/start', 'components, what is routing to app'],
  ['lib/requests/server/listing.ts', '@/components/requests/table', 'on screen belongs to components'],
  ['app/page.tsx', '@/lib/upstream/http-service', 'lib/<feature>/server'],
  ['sandbox/start.ts', '@/lib/core/time', 'nothing of lib'],
];

const allowed: [string, string][] = [
  ['lib/core/price.ts', '@/data/networks.json'],
  ['lib/upstream/price-updates.test.ts', '@/sandbox/start'],
  ['lib/server/services.ts', '@/sandbox/start'],
  ['components/feeds/card.tsx', '@/components/ui/badge'],
];

describe('the import rules', () => {
  it.each(refused)('refuse that %s imports %s, and say where it belongs', (file, imported, place) => {
    const said = lint(file, imported);
    expect(said).toContain('noRestrictedImports');
    expect(said).toContain(place);
  });

  it.each(allowed)('let %s import %s', (file, imported) => {
    expect(lint(file, imported)).not.toContain('noRestrictedImports');
  });
});
