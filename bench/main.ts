import { setTimeout as pause } from 'node:timers/promises';
import { measureExplorer } from './explorer';
import { measureFeeds } from './feeds';
import { measureHop } from './hop';
import { measureEngines, measureIndex, measureSync } from './index-store';
import { measureInstances } from './instances';
import { measureHuge, measureLarge } from './large-keeper';
import { measurePages } from './pages';
import { untilSynced, withDashboard } from './processes';
import { type Figure, report } from './report';

/** Gateway and pages, with the default number of rows. */
const measureUsual = () =>
  withDashboard({ SANDBOX_RECORDS: '50000', LOG_LEVEL: 'warn' }, async (dashboard) => [
    ...(await measureHop(dashboard.sandbox, 'text')),
    ...(await measureHop(dashboard.sandbox, 'number')),
    ...(await measurePages(dashboard)),
  ]);

/** Latency in a browser, with 100,000 rows. */
const measureBrowser = () =>
  withDashboard({ SANDBOX_RECORDS: '100000', LOG_LEVEL: 'warn' }, async ({ origin }) => {
    await untilSynced(origin);
    // Background work on all rows, such as the usual figures of networks, is done by then.
    await pause(20_000);
    return measureExplorer(origin);
  });

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
/** Parts that run only when named: half an hour and ten gigabytes of disk. */
const ON_REQUEST = ['huge'];

/** Parts named on the command line; all by default. */
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
}
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  const isWanted = requested.length === 0 ? !ON_REQUEST.includes(name) : requested.includes(name);
  if (isWanted) figures.push(...(await measure()));
}
process.exitCode = report(figures) ? 0 : 1;
