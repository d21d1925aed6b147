import { setTimeout as pause } from 'node:timers/promises';
import { measureFeeds } from './feeds';
import { measureHop } from './hop';
import { measureEngines, measureIndex, measureSync } from './index-store';
import { measureInstances } from './instances';
import { measureHuge, measureLarge } from './large-keeper';
import { measurePages } from './pages';
import { startDashboard, untilSynced, withCleanUp } from './processes';
import { type Figure, figure, report } from './report';
import { measureTable } from './table';

async function measureUsual(): Promise<Figure[]> {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '50000', LOG_LEVEL: 'warn' });
  return [
    ...(await withCleanUp(() => measureHop(dashboard.sandbox, 'text'))),
    ...(await withCleanUp(() => measureHop(dashboard.sandbox, 'number'))),
    ...(await measurePages(dashboard)),
  ];
}

async function measureBrowser(): Promise<Figure[]> {
  const { origin } = await startDashboard({ SANDBOX_RECORDS: '100000', LOG_LEVEL: 'warn' });
  await untilSynced(origin);
  // Background work on all rows, such as the usual figures of networks, ends by then.
  await pause(20_000);
  return measureTable(origin);
}

const PARTS: Record<string, () => Promise<Figure[]>> = {
  usual: measureUsual,
  browser: measureBrowser,
  feeds: measureFeeds,
  sync: measureSync,
  index: measureIndex,
  engines: measureEngines,
  instances: measureInstances,
  large: measureLarge,
  huge: measureHuge,
};
/** Benchmarks that run only on request: they take half an hour and ten gigabytes of disk. */
const ON_REQUEST = ['huge'];

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
}
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  const isWanted = requested.length === 0 ? !ON_REQUEST.includes(name) : requested.includes(name);
  if (isWanted) figures.push(...(await figuresOf(name, measure)));
}
process.exitCode = report(figures) ? 0 : 1;

/** A part that fails becomes a broken gate, so that the figures of the others are reported. */
async function figuresOf(name: string, measure: () => Promise<Figure[]>): Promise<Figure[]> {
  try {
    return await withCleanUp(measure);
  } catch (error) {
    console.error(error);
    return [figure(`${name}: failed`, Number.NaN, '', { atMost: 0 })];
  }
}
