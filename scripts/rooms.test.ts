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

const refused: [string, string][] = [
  ['lib/core/price.ts', '@/lib/upstream/http-service'],
  ['lib/contract/codec/url.ts', '@/lib/server/env'],
  ['lib/upstream/request-log.ts', '@/lib/feeds/server/hub'],
  ['lib/upstream/request-log.ts', '@/sandbox/start'],
  ['lib/feeds/client/store.ts', '@/lib/feeds/server/hub'],
  ['lib/server/gateway.ts', '@/sandbox/start'],
  ['lib/client/fetch.ts', '@/lib/contract/schema/gateway-query'],
  ['lib/client/fetch.ts', '@/lib/server/env'],
  ['components/feeds/card.tsx', '@/components/requests/table'],
  ['components/pending/incident.tsx', '@/components/requests/table'],
  ['components/requests/table.tsx', '@/lib/upstream/request-log'],
  ['components/ui/button.tsx', '@/lib/client/fetch'],
  ['app/page.tsx', '@/sandbox/start'],
  ['pages/api/stream.ts', '@/lib/upstream/http-service'],
  ['sandbox/start.ts', '@/lib/core/units'],
  ['e2e/feeds.spec.ts', '@/lib/core/units'],
  ['lib/core/price.ts', '../server/env'],
];

const allowed: [string, string][] = [
  ['lib/core/price.ts', '@/data/networks.json'],
  ['lib/upstream/price-updates.ts', '@/lib/upstream/sse'],
  ['lib/upstream/price-updates.test.ts', '@/sandbox/start'],
  ['lib/server/services.ts', '@/sandbox/start'],
  ['components/feeds/card.tsx', '@/components/ui/badge'],
  ['lib/client/fetch.ts', '@/lib/contract/codec/problem'],
];

describe('the table of rooms', () => {
  it.each(refused)('refuses that %s imports %s', (file, imported) => {
    expect(lint(file, imported)).toContain('noRestrictedImports');
  });

  it.each(allowed)('lets %s import %s', (file, imported) => {
    expect(lint(file, imported)).not.toContain('noRestrictedImports');
  });

  it('names the room in its message', () => {
    expect(lint('lib/client/fetch.ts', '@/lib/server/env')).toContain(
      'lib/client may import contract/codec and domain',
    );
  });
});
