import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the dashboard's process with --import: answers on BENCH_LOOP_PORT how late the event loop was since the
 * last question, in ms. The histogram holds the time between two looks, so the distance of the looks is taken off.
 */
const EVERY_MS = 1;
const port = Number(process.env.BENCH_LOOP_PORT);

if (port > 0) {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  delay.enable();
  const lateMs = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - EVERY_MS);
  const server = createServer((_, response) => {
    const figures = {
      p50: lateMs(delay.percentile(50)),
      p99: lateMs(delay.percentile(99)),
      max: lateMs(delay.max),
    };
    delay.reset();
    response.end(JSON.stringify(figures));
  });
  // A child of the dashboard (a build, a check of the settings) finds the port taken and goes without.
  server.on('error', () => {});
  server.listen(port, '127.0.0.1').unref();
}
