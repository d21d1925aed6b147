import { startDashboard } from '@/e2e/dashboard';
import { measureExplorer } from './explorer';
import { measureFeeds } from './feeds';
import { measureHop } from './hop';
import { measureEngines, measureIndex, measureSync, untilSynced } from './index-store';
import { measureInstances } from './instances';
import { measurePages } from './pages';
import { type Figure, report } from './report';

/** The hop and the pages, with as many rows as a new installation has. */
async function measureUsual(): Promise<Figure[]> {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '50000', LOG_LEVEL: 'warn' });
  try {
    return [
      ...(await measureHop(dashboard.sandbox, 'text')),
      ...(await measureHop(dashboard.sandbox, 'number')),
      ...(await measurePages(dashboard)),
    ];
  } finally {
    await dashboard.stop();
  }
}

/** What a user waits for in a browser, with 100,000 rows. */
async function measureBrowser(): Promise<Figure[]> {
  const dashboard = await startDashboard({ SANDBOX_RECORDS: '100000', LOG_LEVEL: 'warn' });
  try {
    await untilSynced(dashboard.origin);
    // What is worked out once of all rows, such as the usual of each network, is worked out by then.
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    return await measureExplorer(dashboard.origin);
  } finally {
    await dashboard.stop();
  }
}

const PARTS: Record<string, () => Promise<Figure[]>> = {
  usual: measureUsual,
  browser: measureBrowser,
  feeds: measureFeeds,
  sync: measureSync,
  index: measureIndex,
  engines: measureEngines,
  instances: measureInstances,
};

/** All parts, or those that the command line names. */
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
}
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length === 0 || asked.includes(name)) figures.push(...(await measure()));
}
process.exitCode = report(figures) ? 0 : 1;
