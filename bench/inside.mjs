import { createServer, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { getHeapSnapshot, getHeapSpaceStatistics, queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into the dashboard's process with --import: answers on BENCH_PORT what only the process itself knows. `/late`: how
 * late the event loop was since the last question, p99, ms. `/heap`: its heap as V8 writes it down. `/held`: bytes of
 * physical memory, without garbage and without room on the heap that holds nothing. All else: what the process holds besides (`Inside` in processes.ts).
 */
const EVERY_MS = 1;
const delay = monitorEventLoopDelay({ resolution: EVERY_MS });

/** From the first question on. The histogram holds the time between two looks, so the distance of the looks is taken off. */
function late() {
  delay.enable();
  const ms = Math.max(0, delay.percentile(99) / 1e6 - EVERY_MS);
  delay.reset();
  return ms;
}

async function inside() {
  const one = setTimeout(() => {}, 0);
  clearTimeout(one);
  // Each count is a collection of garbage of its own; what one finalizes the next one frees.
  const counts = {};
  for (const [name, kind] of [
    ['answers', ServerResponse],
    ['signals', AbortSignal],
    ['timers', one.constructor],
  ]) {
    counts[name] = queryObjects(kind);
    await nextTurn();
  }
  const { external: externalBytes } = process.memoryUsage();
  const handles = await awake();
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { externalBytes, handles, ...counts, listeners };
}

/** What keeps the process awake, by kind, at the calmest of several moments: a call that is under way is nothing left over. */
async function awake() {
  let calmest = process.getActiveResourcesInfo();
  for (let look = 0; look < 20; look++) {
    await pause(100);
    const now = process.getActiveResourcesInfo();
    if (now.length < calmest.length) calmest = now;
  }
  const handles = {};
  for (const kind of calmest) handles[kind] = (handles[kind] ?? 0) + 1;
  return handles;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

async function held() {
  collect();
  // What one finalizes the next one frees.
  await nextTurn();
  collect();
  const room = getHeapSpaceStatistics().map((of) => of.physical_space_size - of.space_used_size);
  return process.memoryUsage.rss() - room.reduce((sum, bytes) => sum + bytes, 0);
}

const ANSWERS = { '/late': late, '/held': held };

const server = createServer(async ({ url }, response) => {
  if (url === '/heap') return void getHeapSnapshot().pipe(response);
  response.end(JSON.stringify(await (ANSWERS[url] ?? inside)()));
});
// A child of the dashboard (a build, a check of the settings) finds the port taken and goes without.
server.on('error', () => {});
server.listen(Number(process.env.BENCH_PORT), '127.0.0.1').unref();
