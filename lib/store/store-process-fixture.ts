import { createInterface } from 'node:readline';
import { IndexClosedError, IndexNotWritableError } from './engine';
import { streamed } from './engine-fixture';
import { openStore } from './open';
import { madeRows } from './rows-fixture';
import type { IndexStore } from './store';

/*
 * A process for tests that kill it or take its disk away. `write` inserts rows until `stop` or until nothing can be
 * written; `read` repeatedly reads all rows in pieces.
 */

const BATCH = 500;
const [dataDir = '', retryMs = '30000'] = process.argv.slice(2);

function say(word: string, value: string | number = ''): void {
  process.stdout.write(`${word} ${value}\n`);
}

async function countOf(store: IndexStore): Promise<number> {
  const [row] = await store.engine.all<{ n: number }>('select count(*) as n from requests');
  return row?.n ?? 0;
}

async function write(store: IndexStore, isStopped: () => boolean): Promise<void> {
  for (let sequence = await countOf(store); !isStopped(); sequence += BATCH) {
    try {
      await store.ingest(1, madeRows(sequence, BATCH), 'new');
    } catch (error) {
      if (!(error instanceof IndexNotWritableError)) throw error;
      return say('unwritable', sequence);
    }
    say('written', sequence + BATCH);
  }
}

async function readRepeatedly(store: IndexStore): Promise<void> {
  for (;;) {
    let rows = 0;
    for await (const piece of streamed(store.engine, 'select * from requests order by created_us')) {
      rows += piece.length;
    }
    say('read', rows);
  }
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof IndexClosedError)) throw error;
}

say('opening');
const store = await openStore({
  ...(dataDir.startsWith('postgres:') ? { storeUrl: () => dataDir } : { dataDir }),
  memoryMb: 256,
  retryMs: Number(retryMs),
  keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
  now: Date.now,
  say: (line) => say('said', line),
});
let isStopped = false;
store.onRevision(() => say('storage', store.storage));
store.shared?.start((isLeader) => say('leader', String(isLeader)));
say('open', await countOf(store));
for await (const order of createInterface({ input: process.stdin })) {
  if (order === 'write') write(store, () => isStopped).catch(ignoreClosed);
  if (order === 'read') readRepeatedly(store).catch(ignoreClosed);
  if (order === 'count') say('count', await countOf(store));
  if (order === 'stop') isStopped = true;
  if (order === 'close') break;
}
await store.close();
say('closed');
process.exit();
