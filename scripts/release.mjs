import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import config from '../next.config.mjs';
import { ensureBuilt, MARKER, RELEASED } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, fail, runCommand, say } from './project.mjs';

/** `npm run release`: an archive for this system, on which `npm start` runs without a network or a compiler. */
const FILES =
  'package.json next.config.mjs public scripts docs deploy README.md CHANGELOG.md LICENSE .env.example'.split(
    ' ',
  );
/** Paths that only a build needs. */
const EXCLUDED = /^\.next\/(cache|dev|types|trace)|^node_modules\/(@next\/swc|sharp|@img)|\.(map|d\.ts)$/;

enterProject();
await ensureInstalled();
await ensureBuilt();
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const name = `keeperscope-${version}-${process.platform}-${process.arch}`;
const folder = join('release', name);
rmSync('release', { recursive: true, force: true });
for (const path of [...FILES.filter(existsSync), '.next', ...packagesNeeded()]) {
  const filter = (file) => !EXCLUDED.test(file.replaceAll('\\', '/'));
  cpSync(path, join(folder, path), { recursive: true, verbatimSymlinks: true, filter });
}
writeFileSync(join(folder, MARKER), RELEASED);
const code = await runCommand('tar', ['-czf', `${folder}.tar.gz`, '-C', 'release', name]);
if (code !== 0) fail(`tar failed with exit code ${code}; its message stands above.`);
say(`${folder}.tar.gz is ready: unpack it, and npm start.`);

/** Folders of node_modules: Next, React and unbundled packages with all their dependencies. */
function packagesNeeded() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const needed = new Set();
  const add = (from, wanted) => {
    // Resolution like Node's: in the package's own folder first, then in those above.
    const parts = from.split('/node_modules/');
    const places = parts.map((_, at) =>
      [...parts.slice(0, parts.length - at), wanted].join('/node_modules/'),
    );
    const path = [...places, `node_modules/${wanted}`].find((place) => packages[place] && existsSync(place));
    if (path === undefined || needed.has(path) || EXCLUDED.test(path)) return;
    needed.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(path, name);
  };
  for (const root of ['next', 'react', 'react-dom', ...config.serverExternalPackages]) add('', root);
  return needed;
}
