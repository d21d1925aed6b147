import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { enterProject, say } from './project.mjs';

/**
 * How large the project may be. What stands here only ever becomes smaller, until it is what the plan says: 55,000 lines,
 * 600 files, 30 in a folder, 3,500 lines of CSS, 30,000 lines of tests, no import circle, 500 lines over 120 characters.
 */
const LIMITS = { lines: 55_000, files: 420, folder: 30, css: 2200, tests: 30_000, circles: 0, wide: 350 };
const TEST = /\.(test|spec)\.[a-z]+$|^e2e\/|-(fixtures?|fakes|harness)\.[a-z]+$|(^|\/)(fixtures|__tests__)\//;

enterProject();
const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
  maxBuffer: 100_000_000,
});
const sources = listed
  .toString()
  .split('\0')
  .filter((file) => /\.([cm]?[tj]sx?|css|sql)$/.test(file));
const linesOf = new Map(
  sources.filter(existsSync).map((file) => [file, readFileSync(file, 'utf8').split('\n').slice(0, -1)]),
);
const files = [...linesOf.keys()];
const code = files.filter((file) => !TEST.test(file) && !file.endsWith('next-env.d.ts'));
const sum = (list, count) => list.reduce((all, file) => all + count(linesOf.get(file)), 0);
const length = (lines) => lines.length;

const folders = new Map();
for (const file of code) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);

const IMPORT = /(?:from\s*|import\s*\(\s*|import\s+|require\(\s*)['"]([^'"]+)['"]/g;
const ENDINGS = ['', '.ts', '.tsx', '.mjs', '.js', '.css', '/index.ts', '/index.tsx'];

function importsOf(file) {
  return [...linesOf.get(file).join('\n').matchAll(IMPORT)].flatMap(([, name]) => {
    const isRelative = name.startsWith('.');
    if (!isRelative && !name.startsWith('@/')) return [];
    const path = isRelative ? posix.join(posix.dirname(file), name) : name.slice(2);
    const found = ENDINGS.map((ending) => path + ending).find((one) => code.includes(one));
    return found === undefined || found === file ? [] : [found];
  });
}

/** Files in import circles, or above them: what is left when those that import nothing of the rest go, again and again. */
function inCircles() {
  let left = new Map(code.filter((file) => !file.endsWith('.css')).map((file) => [file, importsOf(file)]));
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    left = new Map([...left].filter(([, imported]) => imported.some((other) => left.has(other))));
  }
  return [...left.keys()];
}

const circles = inCircles();
const figures = [
  ['lines', sum(code, length), 'lines that are not tests'],
  ['files', code.length, 'files that are not tests'],
  ['folder', Math.max(...folders.values()), 'files in the fullest folder'],
  [
    'css',
    sum(
      code.filter((file) => file.endsWith('.css')),
      length,
    ),
    'lines of CSS',
  ],
  [
    'tests',
    sum(
      files.filter((file) => TEST.test(file)),
      length,
    ),
    'lines of tests',
  ],
  ['circles', circles.length, 'files in import circles'],
  [
    'wide',
    sum(code, (lines) => lines.filter((line) => line.length > 120).length),
    'lines over 120 characters',
  ],
];
for (const [key, value, what] of figures)
  say(`${value > LIMITS[key] ? 'OVER' : 'ok  '} ${String(value).padStart(6)} of ${LIMITS[key]}: ${what}`);
if (circles.length > 0) say(`In circles: ${circles.join(', ')}`);
process.exit(figures.every(([key, value]) => value <= LIMITS[key]) ? 0 : 1);
