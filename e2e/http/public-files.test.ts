import { describe, expect } from 'vitest';
import { fetchRaw } from '@/e2e/every-route';
import { test, withDashboard } from './server';

/** Width and height, from the first chunk of a PNG. */
async function sizeOf(address: string): Promise<string> {
  const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

const SIGNED_IN_ONLY = {
  ACCESS: 'password',
  DASHBOARD_PASSWORD: 'a pass phrase of several words',
  SESSION_SECRET: 'not-for-anybody-else-0123456789abcdef',
};

describe('files for browsers', () => {
  test('make the dashboard installable: a manifest with existing icons in the stated sizes', async ({
    dashboard: { origin },
  }) => {
    const page = await (await fetch(`${origin}/`)).text();
    expect(page).toMatch(/<link rel="manifest" href="\/manifest\.webmanifest"/);
    expect(page).toMatch(/<link rel="icon" href="\/icon\.svg"/);
    const response = await fetch(`${origin}/manifest.webmanifest`);
    expect(response.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
    const { icons, start_url, display, shortcuts } = await response.json();
    expect({ start_url, display }).toEqual({ start_url: '/', display: 'standalone' });
    for (const { url } of shortcuts) expect((await fetch(origin + url)).status).toBe(200);
    const sizes: string[] = [];
    for (const { src, type, sizes: declaredSizes } of icons) {
      const icon = await fetch(origin + src);
      expect(icon.status, src).toBe(200);
      expect(icon.headers.get('content-type'), src).toBe(type);
      if (type === 'image/png') expect(await sizeOf(origin + src), src).toBe(declaredSizes);
      sizes.push(declaredSizes);
    }
    expect(sizes).toEqual(expect.arrayContaining(['192x192', '512x512']));
  });

  test('are available before a sign-in, guarded like pages, and robots are kept out', async () => {
    await withDashboard(SIGNED_IN_ONLY, async (dashboard) => {
      for (const path of [
        '/icon.svg',
        '/icon-alert.svg',
        '/icon-192.png',
        '/manifest.webmanifest',
        '/robots.txt',
      ]) {
        const { status, headers } = await fetchRaw(dashboard.origin, path);
        expect([path, status]).toEqual([path, 200]);
        expect(headers['x-content-type-options']).toBe('nosniff');
      }
      expect((await fetchRaw(dashboard.origin, '/robots.txt')).body).toContain('Disallow: /\n');
      expect((await fetchRaw(dashboard.origin, '/icon.svg/x')).status).not.toBe(200);
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect((await fetchRaw(dashboard.origin, '/manifest.webmanifest', { headers: foreign })).status).toBe(
        403,
      );
    });
  });
});
