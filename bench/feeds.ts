import { measureFanOut } from './fan-out';
import { measureFeedCharts } from './feed-charts';
import { KEY, startProbed, startSandbox } from './processes';
import type { Figure } from './report';

const FEEDS_OF_A_STREAM = 20;
const FEEDS_OF_A_BOARD = 60;
const NO_LIMIT = '10000';

/** Feeds with an update in every slot, 2.5 a second. */
async function busyFeeds(updates: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${updates}/v2/price_feeds?asset_type=crypto`, { headers });
  const feeds = (await response.json()) as { id: string; attributes: { symbol: string } }[];
  // Invented feeds are slow, silent or odd on purpose.
  return feeds.filter(({ attributes }) => attributes.symbol.startsWith('Crypto.')).map(({ id }) => id);
}

/** The cost for the server with many readers, and for a browser that draws the prices. */
export async function measureFeeds(): Promise<Figure[]> {
  const sandbox = await startSandbox(100);
  const settings = {
    UPDATES_URL: `${sandbox.origin}/updates`,
    UPDATES_API_KEY: KEY,
    LOG_LEVEL: 'warn',
    MAX_STREAMS: NO_LIMIT,
    MAX_STREAMS_PER_CLIENT: NO_LIMIT,
  };
  const ids = await busyFeeds(settings.UPDATES_URL);
  if (ids.length < FEEDS_OF_A_BOARD) throw new Error(`the sandbox has ${ids.length} busy feeds only`);
  const dashboard = await startProbed(settings);
  return [
    ...(await measureFanOut(dashboard, sandbox.origin, ids.slice(0, FEEDS_OF_A_STREAM))),
    ...(await measureFeedCharts(dashboard.origin, sandbox.origin, ids)),
  ];
}
