import { spawnSync } from 'node:child_process';

/** A strict reader of Prometheus's text format 0.0.4, for tests: it takes nothing that the format does not allow. */

export type ReadSample = { name: string; labels: Record<string, string>; value: number };
export type Family = { type: string; help: string; samples: ReadSample[] };

/** Metrics by name, and what is wrong with the text by the format and by the naming rules of `promtool check metrics`. */
export type Exposition = { families: Map<string, Family>; problems: string[] };

const NAME = '[a-zA-Z_][a-zA-Z0-9_]*';
const LABEL = `${NAME}="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)\\})? (\\S+)$`);
const VALUE = /^(?:[+-]?Inf|NaN|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

export function readExposition(text: string): Exposition {
  const found: Exposition = { families: new Map(), problems: [] };
  if (!text.endsWith('\n')) found.problems.push('the last line has no end');
  const seen = new Set<string>();
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') current = begin(found, name, rest);
    else if (word === 'TYPE' && current !== undefined && found.families.get(name) === current)
      current.type = rest;
    else addSample(found, current, line, seen);
  }
  for (const [name, family] of found.families) found.problems.push(...problemsOf(name, family));
  return found;
}

function begin({ families, problems }: Exposition, name: string, help: string): Family {
  if (families.has(name)) problems.push(`${name} begins twice`);
  const family: Family = { type: '', help, samples: [] };
  families.set(name, family);
  return family;
}

function addSample(
  { families, problems }: Exposition,
  current: Family | undefined,
  line: string,
  seen: Set<string>,
) {
  const [, name = '', labelText = '', valueText = ''] = SAMPLE.exec(line) ?? [];
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  if (name === '' || !VALUE.test(valueText)) problems.push(`no sample: ${line}`);
  else if (family === undefined || family !== current) problems.push(`${name} stands outside of its metric`);
  else {
    const labels = [...labelText.matchAll(new RegExp(`(${NAME})=("(?:[^"\\\\]|\\\\.)*")`, 'g'))];
    const sorted = labels.map(([whole]) => whole).toSorted();
    const series = `${name}{${sorted.join()}}`;
    if (seen.has(series)) problems.push(`${series} stands twice`);
    seen.add(series);
    const read = labels.map(([, label = '', quoted = '""']) => [label, JSON.parse(quoted) as string]);
    family.samples.push({
      name,
      labels: Object.fromEntries(read),
      value: Number(valueText.replace('Inf', 'Infinity')),
    });
  }
}

const TYPES = ['counter', 'gauge', 'histogram', 'summary'];

function problemsOf(name: string, { type, help, samples }: Family): string[] {
  const problems: string[] = [];
  if (!TYPES.includes(type)) problems.push(`${name} has no type`);
  if (help === '') problems.push(`${name} has no help`);
  if ((type === 'counter') !== name.endsWith('_total')) problems.push(`${name} is a ${type}`);
  if (/_(?:ms|millis|milliseconds|minutes|kb|mb)(?:_|$)/.test(name))
    problems.push(`${name} is not in base units`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) problems.push(`${name} is below zero`);
  if (type === 'histogram') problems.push(...bucketProblems(name, samples));
  return problems;
}

/** Buckets only grow, and the last of them holds all that were counted. */
function bucketProblems(name: string, samples: readonly ReadSample[]): string[] {
  const counts = samples.filter((one) => one.name === `${name}_count`);
  return counts.flatMap(({ labels, value }) => {
    const own = samples.filter((one) => {
      const { le, ...others } = one.labels;
      return le !== undefined && JSON.stringify(others) === JSON.stringify(labels);
    });
    const isGrowing = own.every((one, at) => at === 0 || one.value >= (own[at - 1]?.value ?? 0));
    const isWhole = own.at(-1)?.labels.le === '+Inf' && own.at(-1)?.value === value;
    return isGrowing && isWhole ? [] : [`${name} has odd buckets`];
  });
}

/** Prometheus's own checker, for tests: used where it is installed (Debian's package `prometheus`). */

/** Whether `promtool` can be run here. */
export const isPromtoolInstalled = spawnSync('promtool', ['--version']).status === 0;

/** For the title of a test that is skipped without it. */
export const IF_NOT_INSTALLED = isPromtoolInstalled ? '' : ' (skipped: promtool is not installed)';

/** Runs it; gives what it printed where it is not content, else nothing. */
export function promtool(args: string[], input = ''): string {
  const run = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return run.status === 0 ? '' : `promtool ${args.join(' ')}: ${run.status}\n${run.stdout}${run.stderr}`;
}
