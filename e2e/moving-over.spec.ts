import { type Dashboard, freePort, startDashboard } from './dashboard';
import { bufferedTicks, firstOfSeconds, missingSlots, shownTicks } from './feed-witness';
import { expect } from './fixtures';
import { configurationOfDocs, findNginx, NginxFolder } from './nginx';
import { startTcpProxy } from './tcp-proxy';
import { BACK, BTC, openChart, published, state, test, wholeSeconds } from './witnessed-chart';

test.beforeEach(() => test.setTimeout(180_000));

const KEY = 'sandbox-key';

/** The simulated services of another dashboard, as if they were live. */
function liveOn(sandbox: string, settings: Record<string, string> = {}): Promise<Dashboard> {
  return startDashboard({
    LOGS_URL: `main=${sandbox}/logs/main,test=${sandbox}/logs/test`,
    UPDATES_URL: `${sandbox}/updates`,
    ROUTER_URL: `${sandbox}/router`,
    LOGS_API_KEY: KEY,
    UPDATES_API_KEY: KEY,
    ROUTER_API_KEY: KEY,
    UPDATES_CALLS_PER_S: '50',
    ...settings,
  });
}

test('when a new version takes over or dies, the page reconnects by itself, keeps its data, and shows the gap', async ({
  page,
  dashboard,
  witness,
}) => {
  const old = await liveOn(dashboard.sandbox);
  const instances = [old];
  const way = await startTcpProxy(() => instances.map(({ origin }) => origin));
  try {
    await openChart(page, witness, way.origin);
    const fromS = witness.ticks().at(-1)?.publishS ?? 0;
    await published(witness, 8);
    const next = await liveOn(dashboard.sandbox);
    instances.push(next);
    const movedS = Math.floor(Date.now() / 1000);
    await old.stop();
    await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
    await expect
      .poll(async () => (await bufferedTicks(next.origin, BTC, movedS)).length, BACK)
      .toBeGreaterThan(3);
    await published(witness, 3);
    const received = wholeSeconds(witness, fromS).filter(({ publishS }) => publishS < movedS - 1);
    expect(received.length).toBeGreaterThan(0);
    const isLacking = async () => {
      const buffered = await bufferedTicks(next.origin, BTC, movedS);
      return missingSlots([...received, ...buffered], await shownTicks(page));
    };
    await expect.poll(isLacking, { ...BACK, intervals: [500] }).toEqual([]);
    const slots = (await shownTicks(page)).map(({ slot }) => slot);
    expect(slots.length).toBe(new Set(slots).size);
    const diedS = witness.ticks().at(-1)?.publishS ?? 0;
    next.process.kill('SIGKILL');
    // Several whole seconds, however fast the next instance starts.
    await expect.poll(() => (witness.ticks().at(-1)?.publishS ?? 0) - diedS, BACK).toBeGreaterThan(4);
    instances.push(await liveOn(dashboard.sandbox));
    await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
    await published(witness, 3);
    const missed = missingSlots(firstOfSeconds(wholeSeconds(witness, diedS)), await shownTicks(page));
    expect(missed.length).toBeGreaterThan(1);
    await expect(page.locator('[data-gaps~="missed"]')).toBeVisible(BACK);
    await page.getByRole('link', { name: 'Requests', exact: true }).first().click();
    await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  } finally {
    way.close();
    for (const instance of instances) await instance.stop();
  }
});

const nginx = findNginx() ?? '';
const USER = { username: 'ada', password: 'only-nginx-knows' };
const SECRET = 'shared-by-proxy-and-dashboard-0123456789';

test.describe('behind nginx', () => {
  test.skip(nginx === '', 'nginx is not installed (Debian: apt-get install nginx-light)');
  test.use({ ignoreHTTPSErrors: true, httpCredentials: USER });

  test('behind a minimal nginx pages, prices and counts arrive as they are made', async ({
    page,
    dashboard,
    witness,
  }) => {
    const port = await freePort();
    const servers = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${dashboard.origin}; } }`;
    const proxy = await new NginxFolder().start(nginx, servers, port);
    try {
      const origin = `http://127.0.0.1:${port}`;
      await openChart(page, witness, origin);
      const price = page.locator('[data-figure="price"]');
      const before = String(await price.textContent());
      await expect(price).not.toHaveText(before);
      await page.goto(`${origin}/requests`);
      await expect(page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(5)).toBeVisible();
      const answer = await fetch(`${origin}/api/logs/v1/logs?limit=1`, {
        headers: { 'accept-encoding': 'gzip' },
      });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ total_results: expect.anything() }),
      ]);
    } finally {
      await proxy.stop();
    }
  });

  test('behind the documented nginx there is TLS, only users of the proxy get in, and a new version takes over', async ({
    page,
    dashboard,
    witness,
  }) => {
    const live = () =>
      startDashboard({
        ACCESS: 'proxy',
        PROXY_SECRET: SECRET,
        ALLOWED_HOSTS: 'localhost',
        UPDATES_URL: `${dashboard.sandbox}/updates`,
        UPDATES_API_KEY: 'sandbox-key',
        UPDATES_CALLS_PER_S: '50',
      });
    const [old, next] = await Promise.all([live(), live()]);
    const folder = new NginxFolder();
    const port = await freePort();
    const { certificate, key } = folder.certificate();
    const servers = configurationOfDocs()
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('dash.example.com', 'localhost')
      .replace('127.0.0.1:3000', new URL(old.origin).host)
      .replace('127.0.0.1:3001', new URL(next.origin).host)
      .replace('/etc/ssl/keeperscope.crt', certificate)
      .replace('/etc/ssl/keeperscope.key', key)
      .replace(
        '/etc/nginx/keeperscope.users',
        folder.write('users', `${USER.username}:{PLAIN}${USER.password}\n`),
      )
      .replace(
        '/etc/nginx/keeperscope.secret',
        folder.write('secret', `proxy_set_header X-Proxy-Secret "${SECRET}";\n`),
      );
    const proxy = await folder.start(nginx, servers, port);
    try {
      const headers = { 'x-forwarded-user': 'ada', 'x-proxy-secret': 'guessed' };
      expect((await fetch(`${old.origin}/api/view/feeds/history`, { headers })).status).toBe(401);
      const origin = `https://localhost:${port}`;
      await openChart(page, witness, origin);
      const answer = await page.request.get(`${origin}/feeds`);
      expect(answer.headers()['strict-transport-security']).toContain('max-age=');
      const lastS = () => witness.ticks().at(-1)?.publishS ?? 0;
      const fromS = lastS();
      await published(witness, 6);
      const stoppedS = lastS();
      await old.stop();
      await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
      await published(witness, 2);
      const backS = lastS();
      await published(witness, 6);
      const seconds = firstOfSeconds(wholeSeconds(witness, fromS));
      const served = seconds.filter(({ publishS }) => publishS < stoppedS || publishS > backS);
      expect(served.length).toBeGreaterThan(2);
      const isLacking = async () => missingSlots(served, await shownTicks(page));
      await expect.poll(isLacking, { ...BACK, intervals: [500] }).toEqual([]);
    } finally {
      await proxy.stop();
      await Promise.all([old.stop(), next.stop()]);
    }
  });
});
