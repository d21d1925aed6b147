import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { balancedWay } from './balanced-way';
import { controlOf } from './control';
import { type Dashboard, startDashboard } from './dashboard';
import { firstOfSeconds, heldTicks, lacking, shownTicks } from './feed-witness';
import { expect } from './fresh-dashboard';
import { BACK, BTC, openChart, published, state, test, wholeSeconds } from './witnessed-chart';

test.beforeEach(() => test.setTimeout(180_000));

const KEY = 'sandbox-key';

const agent = new Agent({ keepAlive: true });

/** A dashboard on the simulated services of another one, as on live services. */
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

/** Reads an address to its end, over a connection that its agent would keep. */
function read(url: string): Promise<{ status?: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    }).on('error', reject);
  });
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

test('it is told to end? What is under way is answered, streams say when to come back, and nobody new gets in', async ({
  dashboard,
}) => {
  const live = await liveOn(dashboard.sandbox);
  try {
    const port = Number(new URL(live.origin).port);
    const control = controlOf(dashboard.sandbox);
    await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 2_500 } });
    await control.forgetCalls();
    const under = [
      read(`${live.origin}/api/logs/v1/logs?limit=3`),
      read(`${live.origin}/api/logs/v1/logs?limit=4`),
    ];
    const streams = [`/api/feeds/stream?ids=${BTC}`, `/api/updates/v2/updates/price/stream?ids[]=${BTC}`].map(
      (path) => read(live.origin + path),
    );
    await expect.poll(async () => (await control.calls('logs:main')).total).toBe(2);
    await expect.poll(async () => (await control.calls('updates', 'stream')).total).toBe(2);
    const ended = new Promise((resolve) => live.process.once('exit', resolve));
    const toldMs = Date.now();
    live.process.kill('SIGTERM');
    await expect.poll(() => isRefused(port), { intervals: [50] }).toBe(true);
    for (const { status, text } of await Promise.all(streams)) {
      expect(status).toBe(200);
      expect(Number(/retry: (\d+)\n/.exec(text)?.[1])).toBeLessThan(1_500);
    }
    for (const { status, text } of await Promise.all(under)) {
      expect(status).toBe(200);
      expect(text).toContain('sequence');
    }
    expect(await ended).toBe(143);
    expect(Date.now() - toldMs).toBeLessThan(10_000);
  } finally {
    await live.stop();
  }
});

test('a new version is started beside the old one? The page moves over by itself, and keeps what it has', async ({
  page,
  dashboard,
  witness,
}) => {
  const old = await liveOn(dashboard.sandbox);
  const instances = [old];
  const way = await balancedWay(() => instances.map(({ origin }) => origin));
  try {
    await openChart(page, witness, way.origin);
    const fromS = witness.ticks().at(-1)?.publishS ?? 0;
    await published(witness, 4);
    // Both run for a while: neither is in the way of the other.
    const next = await liveOn(dashboard.sandbox);
    instances.push(next);
    const movedS = Math.floor(Date.now() / 1000);
    await old.stop();
    await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
    await expect
      .poll(async () => (await heldTicks(next.origin, BTC, movedS)).length, BACK)
      .toBeGreaterThan(3);
    await published(witness, 6);
    // What the old one told is there, and what the new one received.
    const told = wholeSeconds(witness, fromS).filter(({ publishS }) => publishS < movedS - 1);
    expect(told.length).toBeGreaterThan(0);
    const isLacking = async () => {
      const held = await heldTicks(next.origin, BTC, movedS);
      return lacking([...told, ...held], await shownTicks(page));
    };
    await expect.poll(isLacking, { ...BACK, intervals: [500] }).toEqual([]);
    const slots = (await shownTicks(page)).map(({ slot }) => slot);
    expect(slots.length).toBe(new Set(slots).size);
    await page.getByRole('link', { name: 'Requests', exact: true }).first().click();
    await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  } finally {
    way.close();
    for (const one of instances) await one.stop();
  }
});

test('it died without a word and was started again? The chart goes on, and the gap is shown as one', async ({
  page,
  dashboard,
  witness,
}) => {
  const instances = [await liveOn(dashboard.sandbox)];
  const way = await balancedWay(() => instances.map(({ origin }) => origin));
  try {
    await openChart(page, witness, way.origin);
    const fromS = witness.ticks().at(-1)?.publishS ?? 0;
    await published(witness, 4);
    instances[0]?.process.kill('SIGKILL');
    await published(witness, 4);
    instances.push(await liveOn(dashboard.sandbox));
    await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
    await published(witness, 6);
    const missed = lacking(firstOfSeconds(wholeSeconds(witness, fromS)), await shownTicks(page));
    expect(missed.length).toBeGreaterThan(1);
    await expect(page.locator('[data-gaps~="missed"]')).toBeVisible(BACK);
  } finally {
    way.close();
    for (const one of instances) await one.stop();
  }
});
