import { createServer, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { getHeapSnapshot, queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded with --import into a measured process: answers on BENCH_PORT. `/late`: delay of the event loop since the last call, p99 in
 * ms. `/gc`: collects garbage. `/heap`: a heap snapshot. `/retained`: live objects and handles (`Retained` in processes.ts).
 */
const EVERY_MS = 1;
const delay = monitorEventLoopDelay({ resolution: EVERY_MS });

/** Counts from the first call on. The histogram holds the time between two ticks, so the interval is subtracted. */
function late() {
  delay.enable();
  const ms = Math.max(0, delay.percentile(99) / 1e6 - EVERY_MS);
  delay.reset();
  return ms;
}

async function retained() {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  // Each query collects garbage first; the next one frees objects finalized by it.
  const counts = {};
  for (const [name, kind] of [
    ['answers', ServerResponse],
    ['signals', AbortSignal],
    ['timers', timer.constructor],
  ]) {
    counts[name] = queryObjects(kind);
    await nextTurn();
  }
  const { external: externalBytes } = process.memoryUsage();
  const handles = await activeHandles();
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { externalBytes, handles, ...counts, listeners };
}

/** Handles that keep the process alive, by kind, at the calmest of several moments: a running call is not a leak. */
async function activeHandles() {
  let calmest = process.getActiveResourcesInfo();
  for (let sample = 0; sample < 20; sample++) {
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

async function collectGarbage() {
  collect();
  // The second collection frees objects finalized by the first.
  await nextTurn();
  collect();
  return null;
}

const ANSWERS = { '/late': late, '/gc': collectGarbage, '/retained': retained };

const server = createServer(async ({ url }, response) => {
  if (url === '/heap') return void getHeapSnapshot().pipe(response);
  response.end(JSON.stringify(await ANSWERS[url]()));
});
// Child processes (a build, a check of the settings) find the port taken and run without a probe.
server.on('error', () => {});
server.listen(Number(process.env.BENCH_PORT), '127.0.0.1').unref();
