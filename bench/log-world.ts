import { percentile } from './load';
import type { Figure } from './report';

const DAY_MS = 86_400_000;
const RUNS = 9;

/** Aims for a million rows, milliseconds: from the start to the first answer, and for any one query. */
const START_AIM_MS = 10_000;
const QUERY_AIM_MS = 50;

type Row = { network_id: string; sequence: number; sender: string; request_tx_hash: string };

/** One of each kind of query, the slowest kinds at several depths. */
function queriesFor(row: Row): string[] {
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  return [
    'limit=1000',
    'limit=1000&offset=500000',
    'limit=50&state=Pending',
    'limit=50&state=Completed&offset=700000',
    `limit=50&network_id=${row.network_id}&state=Completed&offset=20000`,
    `limit=1&min_timestamp=${ago(10)}&max_timestamp=${ago(2)}&state=Failed&network_id=${row.network_id}`,
    `limit=50&query=${row.sender}&min_timestamp=${ago(9)}`,
    `limit=50&query=${row.request_tx_hash}`,
    `limit=50&query=${row.sequence}`,
  ];
}

/**
 * How long the sandbox of a dashboard with a million rows took to start, and its slowest kind of query.
 * @param startedMs how long the start of that dashboard took
 */
export async function measureLogWorld(sandbox: string, startedMs: number): Promise<Figure[]> {
  const ask = async (query: string) => {
    const begunMs = performance.now();
    const response = await fetch(`${sandbox}/logs/main/v1/logs?${query}`, {
      headers: { authorization: 'Bearer sandbox-key' },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${query}: ${response.status} ${text}`);
    return { text, ms: performance.now() - begunMs };
  };
  const [row] = JSON.parse((await ask('limit=1')).text).requests as Row[];
  if (row === undefined) throw new Error('the sandbox has no rows');
  let slowest = { query: '', ms: 0 };
  for (const query of queriesFor(row)) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push((await ask(query)).ms);
    const ms = percentile(times, 0.5);
    if (ms > slowest.ms) slowest = { query: query.replace(/=[^&]*T[^&]*/g, '=…').slice(0, 40), ms };
  }
  return [
    { what: 'start with 1,000,000 rows', value: startedMs, unit: 'ms', aim: START_AIM_MS },
    {
      what: `slowest kind of query of 1,000,000 rows, median (${slowest.query})`,
      value: slowest.ms,
      unit: 'ms',
      aim: QUERY_AIM_MS,
    },
  ];
}
