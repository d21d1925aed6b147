import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { enterProject, say } from './project.mjs';

/**
 * How large the project may be. What stands here only ever becomes smaller, until it is what the plan says: 55,000 lines,
 * 600 files, 30 in a folder, 3,500 lines of CSS, 30,000 lines of tests, no import circle, 500 lines over 120 characters.
 */
const LIMITS = { lines: 58_050, files: 420, folder: 30, css: 2290, tests: 30_000, circles: 0, wide: 350 };

const TEST = /\.(test|spec)\.[a-z]+$|^e2e\/|-(fixtures?|fakes|harness)\.[a-z]+$|(^|\/)(fixtures|__tests__)\//;

enterProject();
const tracked = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
const texts = new Map(
  tracked
    .split('\0')
    .filter((file) => /\.([cm]?[tj]sx?|css|sql)$/.test(file) && existsSync(file))
    .map((file) => [file, readFileSync(file, 'utf8')]),
);
const files = [...texts.keys()];
const tests = files.filter((file) => TEST.test(file));
const code = files.filter((file) => !TEST.test(file) && !file.endsWith('next-env.d.ts'));

const linesOf = (list) => list.reduce((sum, file) => sum + texts.get(file).split('\n').length - 1, 0);

function fullestFolder() {
  const counts = new Map();
  for (const file of code) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return Math.max(...counts.values());
}

const IMPORT = /(?:from\s*|import\s*\(\s*|import\s+|require\(\s*)['"]([^'"]+)['"]/g;
const ENDINGS = ['', '.ts', '.tsx', '.mjs', '.js', '.css', '/index.ts', '/index.tsx'];

function importsOf(file) {
  return [...texts.get(file).matchAll(IMPORT)].flatMap(([, name]) => {
    const isRelative = name.startsWith('.');
    if (!isRelative && !name.startsWith('@/')) return [];
    const path = isRelative ? posix.join(posix.dirname(file), name) : name.slice(2);
    const found = ENDINGS.map((ending) => path + ending).find((one) => texts.has(one) && !TEST.test(one));
    return found === undefined || found === file ? [] : [found];
  });
}

/** Groups of files that reach one another by their imports (Tarjan). */
function circles() {
  const graph = new Map(code.filter((file) => !file.endsWith('.css')).map((file) => [file, importsOf(file)]));
  const [number, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    number.set(file, number.size);
    low.set(file, number.get(file));
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!number.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== number.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of graph.keys()) if (!number.has(file)) visit(file);
  return found;
}

const found = circles();
const figures = {
  lines: linesOf(code),
  files: code.length,
  folder: fullestFolder(),
  css: linesOf(code.filter((file) => file.endsWith('.css'))),
  tests: linesOf(tests),
  circles: found.length,
  wide: code.reduce(
    (sum, file) =>
      sum +
      texts
        .get(file)
        .split('\n')
        .filter(({ length }) => length > 120).length,
    0,
  ),
};
const NAMES = {
  lines: 'lines that are not tests',
  files: 'files that are not tests',
  folder: 'files in the fullest folder',
  css: 'lines of CSS',
  tests: 'lines of tests',
  circles: 'import circles',
  wide: 'lines over 120 characters',
};
for (const [key, value] of Object.entries(figures)) {
  say(
    `${value > LIMITS[key] ? 'OVER' : 'ok  '} ${String(value).padStart(6)} of ${LIMITS[key]}: ${NAMES[key]}`,
  );
}
for (const circle of found) say(`A circle: ${circle.join(' → ')}`);
process.exit(Object.entries(figures).every(([key, value]) => value <= LIMITS[key]) ? 0 : 1);
