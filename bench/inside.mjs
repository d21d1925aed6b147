import { createServer, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics, queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into the dashboard's process with --import: answers on BENCH_INSIDE_PORT how late the event loop was since the
 * last question, in ms (`/late`), and what the process holds once all garbage is collected (`/held`).
 */
const EVERY_MS = 1;
const port = Number(process.env.BENCH_INSIDE_PORT);

if (port > 0) {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  delay.enable();
  const answers = {
    '/late': () => {
      // The histogram holds the time between two looks, so the distance of the looks is taken off.
      const p99 = Math.max(0, delay.percentile(99) / 1e6 - EVERY_MS);
      delay.reset();
      return { p99 };
    },
    '/held': held,
  };
  const server = createServer((request, response) => response.end(JSON.stringify(answers[request.url]())));
  // A child of the dashboard (a build, a check of the settings) finds the port taken and goes without.
  server.on('error', () => {});
  server.listen(port, '127.0.0.1').unref();
}

function held() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // What the first one finalizes the second one frees.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return {
    heapMb: (heapUsed - codeBytes) / 1e6,
    codeMb: codeBytes / 1e6,
    externalMb: external / 1e6,
    handles: process.getActiveResourcesInfo().length,
    answers: queryObjects(ServerResponse),
    signals: queryObjects(AbortSignal),
    timers: queryObjects(timer.constructor),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}
