import { expect } from 'vitest';
import { controlOf } from '@/e2e/control';
import { fetchRaw } from '@/e2e/every-route';
import { RULE } from '@/sandbox/scenarios/rule-ids';
import { test, withDashboard } from './server';

const SECRET = 'between-proxy-and-dashboard-0123456789';
const signedIn = (user: string) => ({ 'x-proxy-secret': SECRET, 'x-forwarded-user': user });
const JSON_BODY = { 'content-type': 'application/json' };
const ACKNOWLEDGE = '/api/view/acknowledge';
const LIST = '/api/view/acknowledgements';

type Incident = { id: string; rule: string; size: number };

/** Counts of the navigation, as on every page. */
async function badge(origin: string): Promise<{ stuck: number; acknowledged: number }> {
  const { body } = await fetchRaw(origin, '/api/view/revisions', { headers: signedIn('reader') });
  return JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? '').pending;
}

test('an acknowledgement quiets an incident for everybody, by name; it returns when twice as large, or undone', () =>
  withDashboard({ ACCESS: 'proxy', PROXY_SECRET: SECRET, HOST: '127.0.0.1' }, async ({ origin, sandbox }) => {
    const control = controlOf(sandbox);
    const [made] = (await control.scenario('bad-contract')).incidents;
    const get = async (path: string) =>
      JSON.parse((await fetchRaw(origin, path, { headers: signedIn('reader') })).body);
    const incident = async (): Promise<Incident> => {
      const { incidents } = await get('/api/view/pending');
      return incidents.find((incident: Incident) => incident.rule === RULE.oneSender);
    };
    const send = (body: unknown, headers: Record<string, string> = { ...signedIn('ana'), ...JSON_BODY }) =>
      fetchRaw(origin, ACKNOWLEDGE, { method: 'POST', headers, body: JSON.stringify(body) });
    await expect.poll(async () => (await incident())?.size, { timeout: 30_000 }).toBe(made?.pending);
    const { id, size } = await incident();
    const target = { kind: 'incident', id };
    const order = { action: 'acknowledge', targets: [target], forMs: 3_600_000, note: 'their contract' };

    for (const [headers, status] of [
      [JSON_BODY, 401],
      [{ ...signedIn('ana') }, 400],
      [{ ...signedIn('ana'), ...JSON_BODY, origin: 'https://evil.example' }, 403],
      [{ ...signedIn('ana'), ...JSON_BODY, 'sec-fetch-site': 'cross-site' }, 403],
    ] as const) {
      const refused = await send(order, headers);
      expect([refused.status, refused.headers['content-type']]).toEqual([status, 'application/problem+json']);
    }
    for (const body of [
      {},
      { ...order, targets: [] },
      { ...order, targets: [{ kind: 'incident', id: 'main/1/none' }] },
      { ...order, targets: [{ kind: 'page', id }] },
      { ...order, targets: [{ kind: 'failure', id: '\u{10348}'.repeat(501) }] },
      { ...order, forMs: -1 },
      { ...order, note: 'x'.repeat(501) },
    ]) {
      expect(await send(body).then(({ status }) => status)).toBe(400);
    }
    expect((await fetchRaw(origin, ACKNOWLEDGE, { headers: signedIn('ana') })).status).toBe(405);
    expect((await get(LIST)).acknowledgements).toEqual([]);

    const before = await badge(origin);
    expect(before.acknowledged).toBe(0);
    const answer = await send(order);
    expect(answer.status).toBe(200);
    const acknowledged = { ...target, by: 'ana', note: 'their contract' };
    expect(JSON.parse(answer.body).acknowledgements).toMatchObject([acknowledged]);
    const [{ atMs, untilMs }] = (await get(LIST)).acknowledgements;
    expect(untilMs - atMs).toBe(3_600_000);
    expect(await badge(origin)).toMatchObject({ acknowledged: size });

    await send({ action: 'undo', targets: [target] }, { ...signedIn('bo'), ...JSON_BODY });
    expect((await get(LIST)).acknowledgements).toEqual([]);
    expect(await badge(origin)).toMatchObject({ acknowledged: 0 });

    await send(order);
    const { rows } = await get(`/api/view/pending/incident?id=${encodeURIComponent(id)}`);
    const copies = rows.map(({ row }: { row: string }, at: number) => {
      const request = JSON.parse(row);
      return JSON.stringify({
        ...request,
        sequence: 900_000 + at,
        request_tx_hash: `0x${String(at).padStart(64, 'e')}`,
      });
    });
    await control.rows('main', copies);
    await expect.poll(async () => (await incident())?.size, { timeout: 30_000 }).toBe(2 * size);
    expect((await get(LIST)).acknowledgements).toEqual([]);
    expect(await badge(origin)).toMatchObject({ acknowledged: 0 });
  }));
