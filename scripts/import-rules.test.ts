import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const copy = mkdtempSync(join(tmpdir(), 'import-rules-'));
const PLUGIN = 'scripts/plain-names.grit';
const biome = resolve('node_modules/@biomejs/biome/bin/biome');
afterAll(() => rmSync(copy, { recursive: true }));

const refused: [string, string, string][] = [
  ['lib/core/price.ts', '@/lib/upstream/http-service', 'lib/core is pure'],
  ['lib/core/price.ts', '../platform/settings', 'reach another folder through @/'],
  ['lib/gateway/gateway.ts', '@/sandbox/start', 'lib imports nothing above it'],
  ['lib/requests/server/listing.ts', '@/components/requests/table', 'lib imports nothing above it'],
  ['lib/feeds/client/store.ts', '@/lib/feeds/server/hub', 'lib/<feature>/server'],
  ['lib/requests/networks.ts', '@tanstack/react-query', 'lib/<feature>/client'],
  ['lib/requests/networks.ts', '@/components/ui/clock', 'lib imports nothing above it'],
  ['components/requests/table.tsx', '@/lib/upstream/request-log', 'lib/<feature>/server'],
  ['components/ui/button.tsx', '@/lib/platform/settings', 'lib/<feature>/server'],
  ['app/page.tsx', '@/lib/upstream/http-service', 'lib/<feature>/server'],
  ['sandbox/start.ts', '@/lib/core/time', 'nothing of lib'],
];

const allowed: [string, string][] = [
  ['lib/core/price.ts', '@/data/networks.json'],
  ['lib/upstream/prices.test.ts', '@/sandbox/start'],
  ['lib/services/services.ts', '@/sandbox/thread'],
  ['components/feeds/card.tsx', '@/components/ui/badge'],
  ['lib/requests/client/use-networks.ts', '@/components/ui/clock'],
];

/** Messages of a single run. A file that occurs twice goes into another copy. */
function lint(files: readonly { file: string; imported: string }[]): string[] {
  const copies = new Map<string, number>();
  const places = files.map(({ file, imported }) => {
    const number = copies.get(file) ?? 0;
    copies.set(file, number + 1);
    const root = join(copy, String(number));
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `import { x } from '${imported}';\nconsole.log(x);\n`);
    return { root, file };
  });
  const findings = new Map<string, string[]>();
  for (const root of new Set(places.map((place) => place.root))) {
    copyFileSync('biome.json', join(root, 'biome.json'));
    mkdirSync(join(root, 'scripts'), { recursive: true });
    copyFileSync(PLUGIN, join(root, PLUGIN));
    const args = [biome, 'lint', '--vcs-enabled=false', '--max-diagnostics=none', '.'];
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    findings.set(root, (run.stdout + run.stderr).split(/^(?=\S+:\d+:\d+ lint)/m));
  }
  return places.map(({ root, file }) =>
    (findings.get(root) ?? []).filter((part) => part.startsWith(file)).join(),
  );
}

describe('the import rules', () => {
  const all = [...refused, ...allowed].map(([file, imported]) => ({ file, imported }));
  const findings = lint(all);

  it.each(refused.map((entry, place) => [...entry, findings[place]] as const))(
    'refuse that %s imports %s, and say where it belongs',
    (_file, _imported, place, words) => {
      expect(words).toContain('noRestrictedImports');
      expect(words).toContain(place);
    },
  );

  it.each(allowed.map((entry, place) => [...entry, findings[refused.length + place]] as const))(
    'let %s import %s',
    (_file, _imported, words) => {
      expect(words).not.toContain('noRestrictedImports');
    },
  );
});
