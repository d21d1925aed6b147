import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { testNotice } from '@/lib/alerts/notices';
import type { Acknowledgement, Notice } from '@/lib/core/incident-record';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import type { Problem } from '@/lib/insights/problem';
import { chainStates, pollChains } from '@/lib/onchain/server/network-watch';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { control, dashboard } from '@/lib/pending/server/pending-harness';
import { processWide } from '@/lib/platform/process-wide';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services } from '@/lib/services/services';
import { IndexNotWritableError } from '@/lib/store/engine';
import { alertsAnswer, replyToAlertTest } from './alerts-endpoint';
import { isOfUnreadKeeper, isUncheckable, problemConditions } from './conditions';
import { recordIncidents } from './incident-watch';
import { sendAlerts } from './webhook';

const SECRET = 'T0K3N-of-the-hook';
let server: Server | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await closeServices();
  server?.close();
});
afterAll(() => replaceSettings(undefined));

async function receiver() {
  const got: { path: string; type: string | undefined; body: Record<string, unknown> }[] = [];
  const answer = { status: 200, location: '', retryAfter: '', body: 'no' };
  const webhookServer = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      got.push({ path: request.url ?? '', type: request.headers['content-type'], body: JSON.parse(text) });
      if (answer.location !== '') response.setHeader('location', answer.location);
      if (answer.retryAfter !== '') response.setHeader('retry-after', answer.retryAfter);
      response.writeHead(answer.status).end(answer.body);
    });
  });
  server = webhookServer;
  await new Promise<void>((resolve) => webhookServer.listen(0, '127.0.0.1', resolve));
  return { got, answer, url: `http://127.0.0.1:${(webhookServer.address() as AddressInfo).port}/${SECRET}` };
}

const test = async () => {
  const response = await replyToAlertTest(new Request('http://localhost/'), {
    kind: 'proxy',
    user: 'ana',
  } as never);
  return (await response.json()) as { state?: string; error?: string | null };
};

/** Checks for due messages repeatedly, without the five seconds between checks. */
function rounds<T>(check: () => T) {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    sendAlerts();
  }
  return expect.poll(
    async () => {
      await vi.advanceTimersByTimeAsync(5000);
      return check();
    },
    { timeout: 20_000 },
  );
}

it('notifies a receiver over HTTP of an incident and of a test, once each, and stores its address nowhere', async () => {
  const { got, answer, url } = await receiver();
  await dashboard('rpc-outage', { ALERT_WEBHOOK_URL: url, ALLOWED_HOSTS: 'dash.example.com' });
  await recordIncidents();
  await recordIncidents();
  const opened = () => got.filter(({ body }) => body.event === 'incident.opened');
  await rounds(opened).toHaveLength(1);
  expect(opened()[0]).toMatchObject({
    path: `/${SECRET}`,
    type: 'application/json',
    body: { source: 'keeperscope', sandbox: true, cause: 'Whole network', networkName: 'Base' },
  });
  const link = /^https:\/\/dash\.example\.com\/pending\?incident=main%2F8453%2Fnetwork$/;
  expect(String(opened()[0]?.body.link)).toMatch(link);
  expect(await test()).toMatchObject({ state: 'sent', error: null, status: 200, tookMs: expect.any(Number) });
  expect(got.map(({ body }) => body.title)).toContain('Test message sent by ana');
  answer.status = 503;
  answer.body = `No hook at /${SECRET}`;
  expect(await test()).toMatchObject({
    state: 'given-up',
    error: 'Returned 503',
    status: 503,
    answer: expect.stringMatching(/^No hook at \/…/),
  });
  // A redirect could lead the message elsewhere.
  answer.status = 307;
  answer.location = url;
  expect(await test()).toMatchObject({ state: 'given-up', error: 'Returned 307' });
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  expect((await test()).error).toMatch(/^Unreachable \([A-Z_]+\)$/);
  for (let at = 0; at < 5; at += 1) await test();
  expect(await test()).toMatchObject({ kind: 'too-many' });
  expect(opened()).toHaveLength(1);
  const sent = await alertsAnswer();
  expect(sent.notices?.filter(({ kind }) => kind === 'incident.opened')).toMatchObject([
    { state: 'sent', attempts: 1 },
  ]);
  expect(JSON.stringify([sent, await services().incidents.notices(100)])).not.toContain(SECRET);
});

it('sends nothing before the database has recorded it, and nothing twice while nothing can be written', async () => {
  const { got, url } = await receiver();
  await dashboard('rpc-outage', { ALERT_WEBHOOK_URL: url });
  await recordIncidents();
  const { incidents, index } = services();
  const confirm = vi.spyOn(index, 'confirmLeader').mockRejectedValue(new IndexNotWritableError());
  await rounds(() => confirm.mock.calls.length).toBeGreaterThan(0);
  expect(got).toEqual([]);
  const { changeAsLeader: change } = incidents;
  const full = vi.spyOn(incidents, 'changeAsLeader').mockImplementation(async (written) => {
    if (written.notices?.some(({ state }) => state === 'sent')) throw new IndexNotWritableError();
    return change.call(incidents, written);
  });
  confirm.mockRestore();
  const refused = () => full.mock.calls.filter(([{ notices = [] }]) => notices.length > 0).length;
  await rounds(refused).toBeGreaterThan(2);
  const opened = got.filter(({ body }) => body.event === 'incident.opened');
  expect(opened).toHaveLength(1);
  full.mockRestore();
  const states = () => incidents.openNotices.filter(({ state }) => state === 'waiting').length;
  await rounds(states).toBe(0);
  expect(got.filter(({ body }) => body.event === 'incident.opened')).toHaveLength(1);
});

it.each([
  ['429, in seconds', 429, () => '7200'],
  ['503, as a date', 503, () => new Date(Date.now() + 7_200_000).toUTCString()],
])('a receiver that asks for a pause gets nothing before it is over: %s', async (_, status, retryAfter) => {
  const { got, answer, url } = await receiver();
  await dashboard('healthy', { ALERT_WEBHOOK_URL: url });
  const { incidents } = services();
  const notices = ['a', 'b', 'c'].map((id) => testNotice(id, null, Date.now()));
  await incidents.changeAsLeader({ notices });
  Object.assign(answer, { status, retryAfter: retryAfter() });
  const sent = () => got.filter(({ body }) => body.event === 'test').length;
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  sendAlerts();
  await rounds(sent).toBe(1);
  const isReported = () => incidents.openNotices.some(({ error }) => error?.includes('retry after') === true);
  await rounds(isReported).toBe(true);
  for (let round = 0; round < 30; round += 1) await vi.advanceTimersByTimeAsync(5000);
  expect(sent()).toBe(1);
  expect(await test()).toMatchObject({ kind: 'too-many', retryAfterS: expect.any(Number) });
  // Two hours from the first answer, half a minute of which has passed.
  const { pausedUntilMs = 0 } = await alertsAnswer();
  expect(pausedUntilMs - Date.now()).toBeGreaterThan(6_900_000);
  expect(pausedUntilMs - Date.now()).toBeLessThanOrEqual(7_200_000);
  expect(sent()).toBe(1);
  // A new process, or another instance, has nothing but the stored messages.
  processWide('alert-sender').set(undefined);
  expect((await alertsAnswer()).pausedUntilMs).toBe(pausedUntilMs);
  for (let round = 0; round < 3; round += 1) await vi.advanceTimersByTimeAsync(5000);
  expect(sent()).toBe(1);
  answer.status = 200;
  vi.setSystemTime(Date.now() + 7_201_000);
  await rounds(sent).toBe(4);
});

it('drops a waiting message about an acknowledged chain problem, and reports the problem once it is worse', async () => {
  const { got, url } = await receiver();
  await dashboard('healthy', { ALERT_WEBHOOK_URL: url });
  const { incidents } = services();
  const spentPerDay = () => BigInt(chain()?.wallets[0]?.spentPerDayWei ?? '0');
  const chain = () => chainStates().find(({ networkId }) => networkId === '8453');
  const lasts = async (hundredths: bigint) => {
    await control('POST', '/wallet', {
      network_id: '8453',
      wei: String((spentPerDay() * hundredths) / 100n),
    });
    await pollChains();
  };
  await pollChains();
  await lasts(200n);
  const id = `wallet/main/8453/${chain()?.wallets[0]?.address}`;
  const notice = (host: string) => ({
    ...testNotice(host, null, Date.now()),
    kind: 'chain.wallet',
    subject: id,
  });
  const acknowledgement = { atMs: Date.now(), untilMs: null, note: '', by: null };
  const acknowledge = [
    { ...acknowledgement, kind: 'chain', id, size: 1, cause: 'warning' },
  ] as Acknowledgement[];
  await incidents.change({ acknowledge, events: [] });
  await incidents.changeAsLeader({ notices: [notice('quiet')] as Notice[] });
  const waiting = () => incidents.openNotices.filter(({ state }) => state === 'waiting').length;
  await rounds(waiting).toBe(0);
  const wallets = () => got.filter(({ body }) => body.event === 'chain.wallet').length;
  expect(wallets()).toBe(0);
  // Less than a day is critical, which exceeds what was acknowledged.
  vi.useRealTimers();
  await lasts(50n);
  await incidents.changeAsLeader({ notices: [notice('worse')] as Notice[] });
  await rounds(wallets).toBe(1);
});

it('reports by name a network whose requests or callbacks fail, and a wallet', () => {
  const problem = (id: string, text: string): Problem => {
    return {
      id,
      kind: 'network',
      level: 'warning',
      networks: ['42161'],
      about: '',
      text,
      sinceMs: 1,
      detail: 'Usually 1.2%',
      href: '/requests',
    };
  };
  const conditions = problemConditions([
    problem('network/main/42161/callbacks-failing', '46.7% of callbacks failed'),
    problem('network/main/42161/failing', '9.1% failed'),
    problem('network/main/42161/slow', 'p95 42.0 s'),
    problem('network/main/42161/silent', 'no requests'),
    problem('wallet/main/42161/0x01', 'wallet lasts 2 days'),
  ]);
  expect(conditions.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    'network.callbacks-failing Arbitrum One: 46.7% of callbacks failed',
    'network.failing Arbitrum One: 9.1% failed',
    'network.slow Arbitrum One: p95 42.0 s',
    'chain.wallet Arbitrum One: wallet lasts 2 days',
  ]);
  const facts = { network: '42161', networkName: 'Arbitrum One', cause: 'Usually 1.2%', path: '/requests' };
  expect(conditions[0]).toMatchObject({ subject: 'network/main/42161/callbacks-failing', facts });
});

/** Titles of alerts about new failures and the rules that could not be checked, once twelve requests failed for a new reason. */
async function newFailuresOf(settings: Record<string, string>) {
  await dashboard('healthy', settings);
  const { index } = services();
  await services().sync.close();
  const failed = Array.from({ length: 12 }, (_, at) =>
    rowText({
      sequence: String(900_000 + at),
      created_at: JSON.stringify(new Date(index.now() - 600_000).toISOString()),
      last_updated_at: JSON.stringify(new Date(index.now() - 500_000).toISOString()),
      state: '{"state":"failed","reason":"the oracle of another world is closed"}',
    }),
  );
  await index.ingest(index.keeperIds(['main'])[0] ?? 0, readPage(failed).rows, 'new');
  for (const { name } of index.keepers) index.report(name, { syncedAtMs: index.now() });
  return async () => {
    const { holding, unchecked } = await alertsAnswer();
    return [holding?.filter(({ event }) => event === 'failures.new').map(({ title }) => title), unchecked];
  };
}

it('a frequent failure is neither new nor known where the index lacks the days before', async () => {
  const newFailures = await newFailuresOf({ HISTORY_DAYS: '7' });
  expect(await newFailures()).toEqual([[], ['failures.new']]);
});

it('lists new failures among the alerts, and the rules that could not be checked', async () => {
  const newFailures = await newFailuresOf({});
  const { index } = services();
  expect(await newFailures()).toEqual([['New failure: the oracle of another world is closed'], []]);
  vi.spyOn(index.engine, 'snapshot').mockRejectedValue(new Error('too slow'));
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 90_000);
  const now = index.now() + 90_000;
  vi.spyOn(index, 'now').mockReturnValue(now);
  const ofNetworks = ['network.failing', 'network.callbacks-failing', 'network.slow', 'keeper.silent'];
  const unknown = [...ofNetworks, 'failures.new'];
  expect(await newFailures()).toEqual([[], unknown]);
  vi.restoreAllMocks();
});

it('networks of a keeper that was last read long ago are not checked', async () => {
  await dashboard('healthy', { SANDBOX_RECORDS: '500' });
  const deps = services();
  const { index } = deps;
  await deps.sync.close();
  for (const { name } of index.keepers) index.report(name, { syncedAtMs: index.now() });
  expect((await alertsAnswer()).unchecked).toEqual([]);
  index.report('main', { syncedAtMs: index.now() - 5 * 3_600_000 });
  expect((await alertsAnswer()).unchecked).toEqual([
    'network.failing',
    'network.callbacks-failing',
    'network.slow',
    'keeper.silent',
  ]);
  const subjects = ['network/main/8453/failing', 'wide/main', 'network/test/8453/failing', 'keeper/main'];
  const compared = { networks: 5, of: 10 };
  expect(subjects.map((subject) => isUncheckable(subject, { compared }, deps))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(subjects.map((subject) => isOfUnreadKeeper(subject, deps))).toEqual([true, true, false, false]);
});

it('reports that there is no webhook, and which incidents reached nobody', async () => {
  await dashboard('rpc-outage');
  await recordIncidents();
  const { example, holding } = await alertsAnswer();
  expect(holding?.filter(({ event }) => event === 'incident.opened')).toHaveLength(1);
  expect(holding?.[0]?.state).toBeUndefined();
  expect(holding?.[0]).toMatchObject({
    event: 'incident.opened',
    path: '/pending?incident=main%2F8453%2Fnetwork',
  });
  expect(holding?.[0]?.title).toContain('41 stuck, 12 senders');
  expect(JSON.parse(example.json)).toMatchObject({ event: 'incident.opened', network: '8453' });
  expect(JSON.parse(example.slack).text).toContain('41 stuck, 12 senders');
  expect(example.isReal).toBe(true);
  const [{ id = '' } = {}] = services().incidents.openIncidents;
  const acknowledged = {
    id,
    atMs: Date.now(),
    untilMs: null,
    note: '',
    by: null,
    size: 1,
    cause: RULE.wholeNetwork,
  };
  const acknowledge: Acknowledgement[] = [{ ...acknowledged, kind: 'incident' }];
  await services().incidents.change({ acknowledge, events: [] });
  const answer = await alertsAnswer();
  expect(answer.holding?.filter(({ event }) => event === 'incident.opened')).toEqual([]);
  expect(answer.example.isReal).toBe(false);
  const response = await replyToAlertTest(new Request('http://localhost/'), {} as never);
  expect([response.status, (await alertsAnswer()).format]).toEqual([400, undefined]);
});
