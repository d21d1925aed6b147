import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readRowText } from '@/lib/core/request-record';
import { handleGateway } from '@/lib/gateway/gateway';
import { readTriage, triageAddress } from '@/lib/pending/pending-response';
import { control, dashboard, getAndRead, type Report } from '@/lib/pending/server/pending-harness';
import { metrics } from '@/lib/platform/metrics';
import { resetStreams } from '@/lib/runtime/streams-fixture';
import { closeServices, services } from '@/lib/services/services';
import {
  type Exposition,
  IF_NOT_INSTALLED,
  isPromtoolInstalled,
  promtool,
  readExposition,
} from './exposition-harness';
import { HttpServer } from './http-server';
import { replyWithMetrics } from './metrics-on-scrape';
import { routePatterns } from './route-patterns';
import { openStream, type StreamReader } from './stream-reader-harness';
import { streamAnswer } from './streams';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

let server: Server;
let stream: StreamReader;
let report: Report;
let text: string;
let exposition: Exposition;

async function read(): Promise<void> {
  text = await (await replyWithMetrics(new Request('http://localhost/api/metrics'))).text();
  exposition = await readExposition(metrics().registry);
}

/** Undefined if there is no such series. */
function figure(name: string, labels: Record<string, string> = {}): number | undefined {
  const family =
    exposition.families.get(name) ?? exposition.families.get(name.replace(/_(?:count|sum|bucket)$/, ''));
  const matching = family?.samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return matching?.[0]?.value;
}

/** Calls these handlers as Next's routes do. */
async function next(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { url = '', headers } = request;
  if (url.startsWith('/api/feeds/stream')) return streamAnswer('feeds')(request, response);
  if (!url.startsWith('/api/')) return response.end('Next');
  const init = { headers: { host: headers.host ?? '' } };
  const answer = await handleGateway(new Request(`http://127.0.0.1${url}`, init));
  return response.writeHead(answer.status).end(await answer.text());
}

beforeAll(async () => {
  // Files of one worker share the process-wide counters.
  metrics().registry.resetMetrics();
  report = await dashboard('rpc-outage', { UPDATES_CALLS_PER_S: '1000', SANDBOX_RECORDS: '4000' });
  server = createServer();
  const patternOf = routePatterns(['/requests/[network_id]/[sequence]']);
  new HttpServer(Promise.resolve(), undefined, patternOf).open(server, next);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = [
    '/api/logs/v1/logs?limit=2',
    '/api/logs/v1/logs?limit=x',
    '/requests/8453/77',
    '/wp-admin/x.php',
  ];
  for (const path of paths) await (await fetch(origin + path)).text();
  stream = await openStream(`${origin}/api/feeds/stream?ids=${BTC}`);
  // The first update may come from the call for latest prices; only an open upstream stream is live.
  await stream.until(() => stream.text.includes('"state":"live"'));
  // A scrape on a busy machine leaves out figures that take too long.
  await vi.waitFor(
    async () => {
      await read();
      expect(figure('keeperscope_network_stuck_requests')).toBeDefined();
    },
    { timeout: 40_000, interval: 500 },
  );
}, 60_000);
afterAll(async () => {
  stream.close();
  resetStreams();
  await closeServices();
  server.close();
});

it('follows Prometheus’s naming rules', () => {
  expect(exposition.problems).toEqual([]);
  expect([...exposition.families.keys()].filter((name) => !name.startsWith('keeperscope_'))).toEqual([]);
});

it.skipIf(!isPromtoolInstalled)(`passes promtool without a warning${IF_NOT_INSTALLED}`, () => {
  expect(promtool(['check', 'metrics'], text)).toBe('');
});

it('counts requests by route pattern and status code', () => {
  const requests = 'keeperscope_http_requests_total';
  expect(figure(requests, { route: '/api/logs/v1/logs', code: '200' })).toBe(1);
  expect(figure(requests, { route: '/api/logs/v1/logs', code: '400' })).toBe(1);
  expect(figure(requests, { route: '/requests/{network_id}/{sequence}', code: '200' })).toBe(1);
  expect(figure(requests, { route: 'other', code: '200' })).toBe(1);
  expect(figure('keeperscope_http_request_duration_seconds_count', { route: 'other' })).toBe(1);
});

it('exports calls, bytes, budget and key of every service', () => {
  const logs = { service: 'logs:main', route: '/v1/logs', outcome: 'ok' };
  expect(figure('keeperscope_service_calls_total', { ...logs, sent: 'yes' })).toBeGreaterThan(0);
  expect(figure('keeperscope_service_call_seconds_count', logs)).toBeGreaterThan(0);
  expect(figure('keeperscope_service_received_bytes_total', logs)).toBeGreaterThan(1000);
  expect(figure('keeperscope_service_up', { service: 'logs:main' })).toBe(1);
  expect(figure('keeperscope_service_key_refused', { service: 'logs:main' })).toBe(0);
  expect(figure('keeperscope_service_clock_offset_seconds', { service: 'logs:main' })).toBe(0);
  expect(figure('keeperscope_service_budget_calls_per_second', { service: 'updates' })).toBe(1000);
  expect(figure('keeperscope_service_pause_end_timestamp_seconds')).toBeUndefined();
});

it('exports the state of our streams and of upstream streams', () => {
  expect(figure('keeperscope_open_streams', { stream: 'feeds' })).toBe(1);
  expect(figure('keeperscope_upstream_streams', { stream: 'feeds' })).toBe(1);
  expect(figure('keeperscope_feed_stream_up')).toBe(1);
  expect(figure('keeperscope_service_streams', { service: 'updates' })).toBe(1);
  const lastByte = figure('keeperscope_service_stream_last_byte_timestamp_seconds', { service: 'updates' });
  expect(lastByte).toBeGreaterThan(Date.now() / 1000 - 60);
  expect(figure('keeperscope_stream_fan_out_seconds_count', { stream: 'feeds' })).toBeGreaterThan(0);
  expect(figure('keeperscope_feed_updates_total', { fate: 'passed' })).toBeGreaterThan(0);
});

it('exports when a watched feed was published and received, and that its market is open', () => {
  const feed = { feed: BTC, symbol: 'Crypto.BTC/USD' };
  const published = figure('keeperscope_feed_last_publish_timestamp_seconds', feed);
  const received = figure('keeperscope_feed_last_receive_timestamp_seconds', feed);
  expect(published).toBeGreaterThan(1_700_000_000);
  expect(received).toBeGreaterThan(Date.now() / 1000 - 60);
  expect(exposition.families.get('keeperscope_feed_last_publish_timestamp_seconds')?.samples).toHaveLength(1);
});

it('agrees with the Pending page for each network', async () => {
  const answer = await getAndRead(triageAddress(), readTriage);
  const stuck = new Map<string, number>();
  for (const { keeper, networkId, size } of answer.incidents) {
    const place = `${keeper}/${networkId}`;
    stuck.set(place, (stuck.get(place) ?? 0) + size);
  }
  const [incident] = report.incidents;
  const place = { keeper: incident?.keeper ?? '', network_id: incident?.network_id ?? '' };
  const count = figure('keeperscope_network_stuck_requests', place);
  expect(count).toBeGreaterThan(0);
  expect(count).toBe(stuck.get(`${place.keeper}/${place.network_id}`));
  expect(figure('keeperscope_network_pending_requests', place)).toBeGreaterThanOrEqual(count ?? 0);
  const oldest = Math.min(
    ...(incident?.requests ?? []).map(({ created_at }) => Date.parse(created_at) / 1000),
  );
  expect(figure('keeperscope_network_oldest_pending_timestamp_seconds', place)).toBeLessThanOrEqual(oldest);
  expect(figure('keeperscope_network_last_request_timestamp_seconds', place)).toBeGreaterThan(oldest);
  expect(figure('keeperscope_log_complete', { keeper: place.keeper })).toBe(1);
  const ofState = (state: string) => figure('keeperscope_network_requests', { ...place, state });
  expect(ofState('pending')).toBe(figure('keeperscope_network_pending_requests', place));
  expect(ofState('completed')).toBeGreaterThan(0);
  expect(figure('keeperscope_network_acknowledged_requests', place)).toBe(0);
});

it('counts requests that finish after the start of the process, and never falls', async () => {
  const { index } = services();
  const [keeper] = index.keepers;
  const names = ['keeperscope_network_finished_requests_total', 'keeperscope_network_callback_seconds_count'];
  const sums = () =>
    names.map((name) => {
      const samples = exposition.families.get(name.replace(/_count$/, ''))?.samples ?? [];
      return samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
    });
  const [finished = 0, called = 0] = sums();
  expect(index.status()[0]?.rows).toBeGreaterThan(finished);
  const [row] = await index.engine.all<{ wire: string }>(
    `select wire from requests where state = 'completed' and keeper_id = ${keeper?.keeperId} limit 1`,
  );
  const wire = JSON.parse(row?.wire ?? '');
  const now = new Date(index.now()).toISOString();
  const text = JSON.stringify({ ...wire, sequence: 987_654, last_updated_at: now });
  await index.ingest(keeper?.keeperId ?? 0, [readRowText(text)], 'new');
  await read();
  const [after = 0, calledAfter = 0] = sums();
  expect(after).toBeGreaterThan(finished);
  expect(calledAfter).toBeGreaterThan(called);
  await index.engine.write((session) => session.run(`delete from requests where sequence = 987654`));
  await read();
  expect(sums()[0]).toBeGreaterThanOrEqual(after);
});

it('exports coverage and age of a keeper’s index', () => {
  const keeper = { keeper: 'main' };
  const rows = services().index.status()[0]?.rows;
  expect(figure('keeperscope_index_rows', keeper)).toBe(rows);
  expect(figure('keeperscope_index_sync_age_seconds', keeper)).toBeLessThan(60);
  expect(figure('keeperscope_index_history_rows', keeper)).toBeUndefined();
  expect(figure('keeperscope_index_unreadable_rows', keeper)).toBe(0);
  expect(figure('keeperscope_index_storage', { mode: 'memory' })).toBe(1);
});

it('has no transaction, address, key or caller’s text in a label', () => {
  const labels = [...exposition.families.values()].flatMap(({ samples }) =>
    samples.flatMap((sample) => Object.values(sample.labels)),
  );
  const long = labels.filter((value) => /0x[0-9a-f]{8}|[0-9a-f]{24}/i.test(value) && value !== BTC);
  expect(long).toEqual([]);
  // A whole number: the random port of a test may end with it.
  expect(labels.filter((value) => /wp-admin|sandbox-key|\b77$/.test(value))).toEqual([]);
  expect(text).not.toContain('sandbox-key');
});

it('exports the known figures while a log service is unreachable', async () => {
  await control('POST', '/faults', { service: 'logs:main', fault: { kind: 'status', status: 500 } });
  const { logs } = services();
  for (let offset = 1; offset <= 8; offset += 1)
    await logs.get('main')?.logs(`limit=1&offset=${offset}`, 'user');
  await read();
  expect(figure('keeperscope_service_up', { service: 'logs:main' })).toBe(0);
  expect(exposition.problems).toEqual([]);
});
