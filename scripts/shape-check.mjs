import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { unknownNames } from './comment-names.mjs';
import { enterProject, say } from './project.mjs';

/** Limits of `npm run check`. */
const LIMITS = {
  fileCycles: 0,
  folderCycles: 0,
  upward: 0,
  misplacedClientCode: 0,
  longFiles: 0,
  literalSpreads: 0,
  nonStandardBounds: 0,
  subjectlessComments: 0,
  sharedNames: 0,
  addedImports: 0,
  unknownNames: 0,
};
const MAX_LINES = 600;
/**
 * Layers of the code, lowest first. An import goes down, or stays within a layer where `SAME_LAYER` lists it.
 * `lib/<feature>` is shared by server and browser, `client` holds its hooks, `server` its server side.
 */
const LAYERS = [
  ['lib/core'],
  ['lib/platform', 'components/ui'],
  ['lib/access', 'lib/upstream', 'lib/feeds', 'lib/requests', 'lib/onchain'],
  ['lib/pending', 'lib/store', 'lib/watches/client', 'lib/requests/client'],
  ['lib/alerts', 'lib/insights', 'lib/prices', 'lib/services', 'lib/feeds/client'],
  ['lib/gateway', 'lib/*/server', 'lib/*/client'],
  ['lib/runtime', 'components/*'],
  ['app', 'pages', 'proxy.ts', 'instrumentation.ts', 'scripts'],
];
/** Allowed imports within a layer, `from > to`. */
const SAME_LAYER = [
  'lib/feeds/server > lib/prices/server',
  'lib/pending/server > lib/requests/server',
  'lib/pending/server > lib/onchain/server',
  'lib/onchain/server > lib/requests/server',
  'lib/insights/server > lib/requests/server',
  'lib/insights/server > lib/pending/server',
  'lib/insights/server > lib/feeds/server',
  'lib/insights/server > lib/onchain/server',
  'lib/alerts/server > lib/insights/server',
  'lib/alerts/server > lib/pending/server',
  'lib/alerts/server > lib/feeds/server',
  'lib/alerts/server > lib/onchain/server',
  'components/requests > components/pending',
  'components/pending > components/alerts',
  'components/overview > components/alerts',
  'components/requests > components/alerts',
];
const TEST = /\.(test|spec)\.[a-z]+$|^e2e\/|-(fixtures?|fakes|harness)\.[a-z]+$|(^|\/)(fixtures|__tests__)\//;
const LITERAL_SPREAD = /^\s*\.\.\.\{ .*\},?$|[{(,] \.\.\.\{ [^}]*\}/;
const NON_STANDARD_BOUND = /\b(MOST|LEAST|FEWEST|LONGEST|LARGEST|SHORTEST|SMALLEST)_[A-Z]/;
const SUBJECTLESS_COMMENT =
  /(\/\/|\/?\*\*?) (Of|By|As|Who|Whoever|What|Whatever|So long|So far|So many|So much|The same|Likewise|As above)\b/;
/** In the production build a constant of another module is undefined on the right of `+=`: the bundler loses its import. */
const ADDED_CONSTANT = /[-+*/]= ([A-Z][A-Z_0-9]+)\b/g;
const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm;
/** Exported names that several modules declare for the same concept. Tests replace the sandbox's thread by `startSandbox` itself. */
const ONE_CONCEPT = ['SeveralKeepers', 'startSandbox'];
const IMPORT = /(?:from\s*|import\s*\(\s*|import\s+|require\(\s*)['"]([^'"]+)['"]/g;
const ENDINGS = ['', '.ts', '.tsx', '.mjs', '.js', '.css', '/index.ts', '/index.tsx'];

enterProject();
const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
  maxBuffer: 100_000_000,
});
const tree = listed
  .toString()
  .split('\0')
  .filter((file) => !file.endsWith('next-env.d.ts') && existsSync(file));
const textsOf = (paths) => new Map(paths.map((file) => [file, readFileSync(file, 'utf8')]));
const code = tree.filter((file) => /\.([cm]?[tj]sx?|css|sql)$/.test(file) && !TEST.test(file));
const files = new Set(code);
const texts = textsOf(code);

function importsOf(file) {
  return [...texts.get(file).matchAll(IMPORT)].flatMap(([, name]) => {
    const isRelative = name.startsWith('.');
    if (!isRelative && !name.startsWith('@/')) return [];
    const path = isRelative ? posix.join(posix.dirname(file), name) : name.slice(2);
    const imported = ENDINGS.map((ending) => path + ending).find((candidate) => files.has(candidate));
    return imported === undefined || imported === file ? [] : [imported];
  });
}

/** Strongly connected components. @param {Map<string, Set<string>>} graph */
function cyclesOf(graph) {
  const reach = new Map();
  const reached = (from) => {
    const nodes = reach.get(from) ?? new Set();
    if (!reach.has(from)) {
      reach.set(from, nodes);
      for (const waiting = [from]; waiting.length > 0; ) {
        for (const next of graph.get(waiting.pop()) ?? []) {
          if (!nodes.has(next)) waiting.push(next);
          nodes.add(next);
        }
      }
    }
    return nodes;
  };
  const inCycle = [...graph.keys()].filter((node) => reached(node).has(node));
  const groups = new Map();
  for (const node of inCycle) {
    const key = inCycle
      .filter((other) => reached(node).has(other) && reached(other).has(node))
      .sort()
      .join(' ');
    groups.set(key, key.split(' '));
  }
  return [...groups.values()];
}

/** The folder of the feature, or `server` or `client` within it; deeper folders don't count. */
function folderOf(file) {
  const [top, name, third] = file.split('/');
  if (top === 'lib') return ['server', 'client'].includes(third) ? `lib/${name}/${third}` : `lib/${name}`;
  if (top === 'components') return `components/${name}`;
  return dirname(file) === '.' ? file : top;
}

const fileImports = new Map(
  code.filter((file) => !file.endsWith('.css')).map((file) => [file, new Set(importsOf(file))]),
);
const folderImports = new Map();
for (const [file, imported] of fileImports) {
  const folder = folderOf(file);
  if (!folderImports.has(folder)) folderImports.set(folder, new Set());
  for (const other of imported)
    if (folderOf(other) !== folder) folderImports.get(folder).add(folderOf(other));
}
const fileCycles = cyclesOf(fileImports);
const folderCycles = cyclesOf(folderImports);
function layerOf(folder) {
  const [top, , third] = folder.split('/');
  const anyOf = third === undefined ? `${top}/*` : `lib/*/${third}`;
  const named = LAYERS.findIndex((layer) => layer.includes(folder));
  return named >= 0 ? named : LAYERS.findIndex((layer) => layer.includes(anyOf));
}
const upward = [...folderImports].flatMap(([folder, imported]) =>
  [...imported]
    .filter((other) => layerOf(folder) >= 0 && layerOf(other) >= layerOf(folder))
    .map((other) => `${folder} > ${other}`)
    .filter((arrow) => !SAME_LAYER.includes(arrow)),
);
const linesLike = (pattern) =>
  [...texts.values()].reduce(
    (sum, text) => sum + text.split('\n').filter((line) => pattern.test(line)).length,
    0,
  );
const withNames = tree.filter((file) => /\.([cm]?[tj]sx?|css|sol)$|^[\w.-]+\.json$|^\.env/.test(file));
const unknown = unknownNames(textsOf(withNames), tree);
const misplacedClientCode = code.filter(
  (file) => /^lib\/[^/]+\/(?!client\/)/.test(file) && /^'use client'/.test(texts.get(file)),
);
const longFiles = code.filter((file) => texts.get(file).split('\n').length - 1 > MAX_LINES);

/** Modules by the exported name that they declare, within a program. The framework names the exports of `app` and `pages`. */
const declarations = new Map();
for (const [file, text] of texts) {
  if (/^(app|pages)\//.test(file)) continue;
  const [program] = /^(sandbox|bench|scripts|e2e)\//.exec(file) ?? ['dashboard'];
  for (const [, name] of text.matchAll(EXPORT)) {
    const key = `${program} ${name}`;
    declarations.set(key, [...new Set([...(declarations.get(key) ?? []), file])]);
  }
}
const sharedNames = [...declarations]
  .map(([key, files]) => [key.split(' ')[1], files])
  .filter(([name, files]) => files.length > 1 && !ONE_CONCEPT.includes(name));

const addedImports = [...texts].flatMap(([file, text]) => {
  if (!/^(app|components|lib|pages)\//.test(file)) return [];
  const names = [...text.matchAll(ADDED_CONSTANT)].map(([, name]) => name);
  return names
    .filter((name) => !new RegExp(`(const|let) ${name}\\b`).test(text))
    .map((name) => `${name} in ${file}`);
});

const FIGURES = [
  ['fileCycles', fileCycles.length, 'import cycles between files'],
  ['folderCycles', folderCycles.flat().length, 'folders in an import cycle of folders'],
  ['upward', upward.length, 'imports to a higher layer, or within a layer but not in SAME_LAYER'],
  [
    'misplacedClientCode',
    misplacedClientCode.length,
    "files of lib with 'use client' outside of a folder `client`",
  ],
  ['longFiles', longFiles.length, `files over ${MAX_LINES} lines`],
  ['literalSpreads', linesLike(LITERAL_SPREAD), 'literals spread into literals'],
  [
    'nonStandardBounds',
    linesLike(NON_STANDARD_BOUND),
    'bounds named MOST_, LEAST_, LONGEST_ and the like, not MAX_ or MIN_',
  ],
  [
    'subjectlessComments',
    linesLike(SUBJECTLESS_COMMENT),
    'comments that begin with Of, By, As, What, So long, The same and the like',
  ],
  ['sharedNames', sharedNames.length, 'exported names that two modules declare'],
  ['addedImports', addedImports.length, 'constants of another module on the right of +='],
  ['unknownNames', unknown.length, 'names in comments that no code has'],
];
for (const [name, value, what] of FIGURES) {
  say(`${value > LIMITS[name] ? 'OVER' : 'ok  '} ${String(value).padStart(5)} of ${LIMITS[name]}: ${what}`);
}
for (const cycle of [...fileCycles, ...folderCycles]) say(`cycle: ${cycle.join(', ')}`);
if (upward.length > 0) say(`upward: ${upward.join(', ')}`);
if (misplacedClientCode.length > 0) say(`misplaced: ${misplacedClientCode.join(', ')}`);
if (longFiles.length > 0) say(`long: ${longFiles.join(', ')}`);
for (const [name, files] of sharedNames) say(`shared name: ${name} in ${files.join(', ')}`);
for (const place of addedImports) say(`added import: ${place}`);
for (const name of unknown) say(`unknown name: ${name}`);
if (FIGURES.some(([name, value]) => value > LIMITS[name])) process.exit(1);
