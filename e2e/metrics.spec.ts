import { spawnSync } from 'node:child_process';
import { controlOf } from './control';
import { type Dashboard, expect, startDashboard, test } from './dashboard';

const read = async ({ origin }: Dashboard) => (await fetch(`${origin}/api/metrics`)).text();

/** The value of a series, named as it stands in the text; undefined where there is none. */
function figure(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('What does Prometheus see of a dashboard in use? Requests by route, and per network what the page says', async ({
  page,
}) => {
  // A dashboard of its own, which takes its time to start on a busy machine.
  test.slow();
  const dashboard = await startDashboard();
  try {
    const control = controlOf(dashboard.sandbox);
    const { incidents } = await control.scenario('rpc-outage');
    const [incident] = incidents;
    const place = `keeper="${incident?.keeper}",network_id="${incident?.network_id}"`;
    await page.goto(`${dashboard.origin}/pending`);
    await expect(page.getByRole('heading', { name: /requests are stuck/ })).toBeVisible({ timeout: 20_000 });
    await fetch(`${dashboard.origin}/.env`);
    await fetch(`${dashboard.origin}/api/logs/v1/logs?limit=x`);
    let text = '';
    const stuck = () =>
      text.split('\n').find((line) => line.startsWith(`keeperscope_network_stuck_requests{${place}`));
    await expect(async () => {
      text = await read(dashboard);
      expect(Number(stuck()?.split(' ').at(-1))).toBeGreaterThanOrEqual(incident?.pending ?? 1);
    }).toPass({ timeout: 20_000 });
    const requests = (labels: string) => figure(text, `keeperscope_http_requests_total{${labels}}`);
    expect(requests('route="/pending",code="200"')).toBeGreaterThan(0);
    expect(requests('route="/_next/static/{file}",code="200"')).toBeGreaterThan(0);
    expect(requests('route="/api/logs/v1/logs",code="400"')).toBe(1);
    expect(requests('route="other",code="404"')).toBeGreaterThan(0);
    expect(figure(text, 'keeperscope_index_storage{mode="memory"}')).toBe(1);
    expect(text).toMatch(/^keeperscope_build_info\{version="\d+\.\d+\.\d+",source="sandbox"\} 1$/m);
    expect(text).not.toMatch(/0x[0-9a-f]{8}|sandbox-key|\.env/);
    const promtool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    if (promtool.error === undefined) expect(`${promtool.stdout}${promtool.stderr}`).toBe('');
  } finally {
    await dashboard.stop();
  }
});
