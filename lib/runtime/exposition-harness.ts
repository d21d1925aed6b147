import { spawnSync } from 'node:child_process';
import type { Registry } from 'prom-client';

export type ReadSample = { name: string; labels: Record<string, string>; value: number };
export type Family = { type: string; help: string; samples: ReadSample[] };

/** `problems` violate the naming rules of `promtool check metrics`. */
export type Exposition = { families: Map<string, Family>; problems: string[] };

export async function readExposition(registry: Registry): Promise<Exposition> {
  const families = new Map<string, Family>();
  for (const { name, help, type, values } of await registry.getMetricsAsJSON()) {
    const samples = (values as { labels: object; value: number; metricName?: string }[]).map(
      ({ labels, value, metricName = name }) => {
        const texts = Object.entries(labels).map(([label, text]) => [label, String(text)]);
        return { name: metricName, labels: Object.fromEntries(texts), value };
      },
    );
    families.set(name, { type: String(type), help, samples });
  }
  return { families, problems: [...families].flatMap(([name, family]) => problemsOf(name, family)) };
}

function problemsOf(name: string, { type, help, samples }: Family): string[] {
  const problems: string[] = [];
  if (help === '') problems.push(`${name} has no help`);
  if ((type === 'counter') !== name.endsWith('_total')) problems.push(`${name} is a ${type}`);
  if (/_(?:ms|millis|milliseconds|minutes|kb|mb)(?:_|$)/.test(name))
    problems.push(`${name} is not in base units`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) problems.push(`${name} is below zero`);
  if (type === 'histogram') problems.push(...bucketProblems(name, samples));
  return problems;
}

/** Bucket counts must not fall, and the last bucket must hold the total. */
function bucketProblems(name: string, samples: readonly ReadSample[]): string[] {
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  return counts.flatMap(({ labels, value }) => {
    const familySamples = samples.filter((sample) => {
      const { le, ...others } = sample.labels;
      return le !== undefined && JSON.stringify(others) === JSON.stringify(labels);
    });
    const isGrowing = familySamples.every(
      (sample, index) => index === 0 || sample.value >= (familySamples[index - 1]?.value ?? 0),
    );
    const isWhole = familySamples.at(-1)?.labels.le === '+Inf' && familySamples.at(-1)?.value === value;
    return isGrowing && isWhole ? [] : [`${name} has odd buckets`];
  });
}

/** Prometheus's own checker (Debian's package `prometheus`). */

export const isPromtoolInstalled = spawnSync('promtool', ['--version']).status === 0;

/** Suffix for titles. */
export const IF_NOT_INSTALLED = isPromtoolInstalled ? '' : ' (skipped: promtool is not installed)';

/** Returns the output if promtool fails; empty if it succeeds. */
export function promtool(args: string[], input = ''): string {
  const run = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return run.status === 0 ? '' : `promtool ${args.join(' ')}: ${run.status}\n${run.stdout}${run.stderr}`;
}
