import { NextRequest } from 'next/server';
import { afterEach, expect, it } from 'vitest';
import { RequestLimits } from '@/lib/access/principal';
import { processWide } from '@/lib/platform/process-wide';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { proxy } from '@/proxy';

const limits = processWide<RequestLimits>('request-limits');
afterEach(() => {
  limits.set(undefined);
  replaceSettings(undefined);
});

it('limits a flood of unauthorized requests, and serves signed-in users of the same address', async () => {
  const password = 'correct-horse-battery';
  const env = { ACCESS: 'password', DASHBOARD_PASSWORD: password, SESSION_SECRET: 'x'.repeat(40) };
  replaceSettings(readSettings(env));
  limits.set(new RequestLimits(() => 0));
  const open = (path: string, headers = {}) =>
    proxy(
      new NextRequest(`http://localhost:3000${path}`, { headers: { host: 'localhost:3000', ...headers } }),
    );
  expect((await open('/sign-in')).status).toBe(200);
  expect((await open('/requests')).headers.get('location')).toMatch(/\/sign-in\?next=/);
  limits.get()?.consume(['outside unknown'], 980);
  const refused = await open('/sign-in');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const authorization = `Basic ${btoa(`anyone:${password}`)}`;
  expect((await open('/requests', { authorization })).status).toBe(200);
});
