import 'server-only';
import { watchIncidents } from '@/lib/alerts/server/incident-watch';
import { sendAlerts } from '@/lib/alerts/server/webhook';
import { feedDirectory, resolveFeeds } from '@/lib/feeds/server/feed-directory';
import { watchChains } from '@/lib/onchain/server/network-watch';
import { clientLimits } from '@/lib/platform/descriptors';
import { log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { currentSettings, SettingsError } from '@/lib/platform/settings';
import { scheduleProbe } from '@/lib/services/service-report';
import { closeServices, type Services, startServices, startSync } from '@/lib/services/services';
import { IndexFileError } from '@/lib/store/open';
import { HttpServer } from './http-server';
import { closeAllStreams, watchPermanently } from './streams';

const httpServer = processWide<HttpServer>('http-server');
/** Listener of scripts/start.mjs. */
const startListener = processWide<(server: HttpServer) => void>('started');

/** Time after a signal for running calls before their services are closed, and until the process exits in any case. */
const CLOSE_SERVICES_MS = 5000;
const EXIT_MS = 8000;

/** Starts the process. While another one holds the index, only `/api/health` is answered. */
export function startUp(): void {
  try {
    const settings = currentSettings();
    for (const warning of settings.warnings) printToOperator(warning);
    const { streams = settings.maxStreams } = clientLimits() ?? {};
    if (streams < settings.maxStreams) {
      printToOperator(
        `MAX_STREAMS is ${settings.maxStreams}, but the limit of open files (ulimit -n, LimitNOFILE=) leaves room for ${streams} streams.`,
      );
    }
    const ending = new AbortController();
    let onWait = () => {};
    const waits = new Promise<void>((resolve) => {
      onWait = resolve;
    });
    const { dataDir } = settings.index;
    const started = startServices(settings, { dataDir, say: printToOperator, onWait, signal: ending.signal });
    const begun = started.then(startBackgroundWork).catch((error: unknown) => {
      if (!ending.signal.aborted) exitWithError(error);
    });
    shutDownOnSignal(ending, begun);
    const healthReady = Promise.race([begun, waits]);
    // scripts/start.mjs opens the server once Next is ready.
    const server = new HttpServer(started, healthReady);
    httpServer.set(server);
    startListener.get()?.(server);
  } catch (error) {
    exitWithError(error);
  }
}

function startBackgroundWork(started: Services): void {
  const { sandbox } = started;
  startSync(started);
  watchIncidents();
  sendAlerts();
  scheduleProbe(started);
  watchChains(started);
  if (sandbox) {
    const { logs, rpc: _nodes, ...others } = sandbox.addresses;
    const rpc = `${sandbox.origin}/rpc/<network id>`;
    const addresses = [...Object.values(logs), ...Object.values({ ...others, rpc })];
    printToOperator(`The sandbox answers at ${addresses.join(' ')}`);
    printToOperator(TO_GO_LIVE);
  }
  watchConfiguredFeeds(started).catch((error: unknown) =>
    log().error({ error }, 'FEEDS could not be watched'),
  );
}

/** Watches feeds for the lifetime of the process, so that a board shows prices at once. */
async function watchConfiguredFeeds({ settings, updates, upgraded }: Services): Promise<void> {
  const { watchedFeeds } = settings;
  if (watchedFeeds.length === 0 || (!updates && !upgraded)) return;
  const { ids, unknown } = await resolveFeeds(watchedFeeds, async () => (await feedDirectory()).feeds);
  if (unknown.length > 0) log().warn({ unknown }, 'FEEDS has unknown symbols');
  const watched = watchPermanently(ids);
  if (!watched.ok) log().warn({ kind: watched.failure.kind }, 'the feeds of FEEDS are not watched');
}

const TO_GO_LIVE =
  'Running on the sandbox: simulated services. To go live, set LOGS_URL, UPDATES_URL or ROUTER_URL with their keys in .env.local (see .env.example) and start again.';

function exitWithError(error: unknown): void {
  const isExplained = error instanceof SettingsError || error instanceof IndexFileError;
  printToOperator(isExplained ? error.message : `Start failed: ${String(error)}`);
  process.exit(1);
}

/** @param begun the running start, which ends soon after the abort */
function shutDownOnSignal(ending: AbortController, begun: Promise<void>): void {
  const end = (signal: 'SIGTERM' | 'SIGINT') => {
    ending.abort();
    let isClosed = false;
    const exit = () => process.exit(signal === 'SIGINT' ? 130 : 143);
    const close = async () => {
      await begun;
      await closeServices();
      isClosed = true;
    };
    setTimeout(() => void close(), CLOSE_SERVICES_MS).unref();
    setTimeout(() => {
      if (isClosed) exit();
      // `process.exit` would wait for a query of the engine. The files of the index survive a kill.
      process.kill(process.pid, 'SIGKILL');
    }, EXIT_MS).unref();
    log().info({ signal }, 'ending');
    const closed = () => void close().finally(exit);
    const server = httpServer.get();
    if (server) server.close(closed);
    else closed();
    closeAllStreams();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
}

/** Synchronously, so that the line is written before an exit. */
function printToOperator(line: string): void {
  process.stderr.write(`${line.replace(/\s+/g, ' ')}\n`);
}
