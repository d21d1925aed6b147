/** A dashboard over a sandbox for tests, called through the routes that pages use. */

import { expect } from 'vitest';
import { ownRoute } from '@/lib/access/reply';
import type { Outcome } from '@/lib/core/outcome';
import {
  type DiagnosisAnswer,
  diagnosisAddress,
  groupAddress,
  readDiagnosis,
  readGroup,
  readTriage,
  triageAddress,
} from '@/lib/pending/pending-response';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { type Services, startServices } from '@/lib/services/services';
import { replyWithDiagnosis, replyWithGroup, replyWithIncident, replyWithTriage } from './pending-endpoint';

const ROUTES: Record<string, ReturnType<typeof ownRoute>> = {
  '/api/view/pending': ownRoute(replyWithTriage),
  '/api/view/pending/group': ownRoute(replyWithGroup),
  '/api/view/pending/incident': ownRoute(replyWithIncident),
  '/api/view/pending/diagnosis': ownRoute(replyWithDiagnosis),
};

/** `POST /control/scenario`, as far as tests read it. */
export type Report = {
  networks: string[];
  rows: number;
  incidents: {
    rule: string;
    keeper: string;
    network_id: string;
    provider: string;
    pending: number;
    senders: number;
    since: string;
    requests: { sequence: number; request_tx_hash: string; created_at: string }[];
  }[];
};

let running: Services;

export async function dashboard(scenario: string, env: Record<string, string> = {}): Promise<Report> {
  const settings = readSettings({
    SANDBOX_PORT: '0',
    SANDBOX_SEED: '5',
    SANDBOX_RECORDS: '1500',
    LOG_LEVEL: 'silent',
    LOGS_CALLS_PER_S: '200',
    ...env,
  });
  replaceSettings(settings);
  running = await startServices(settings);
  running.sync.start();
  return play(scenario);
}

/** Waits until the index has the scenario's rows. */
export async function play(scenario: string): Promise<Report> {
  const report = (await control('POST', '/scenario', { name: scenario })) as Report;
  await running.sync.caughtUp();
  return report;
}

export async function control(method: string, path: string, value?: unknown): Promise<unknown> {
  const response = await fetch(`${running.sandbox?.addresses.control}${path}`, {
    method,
    ...(value === undefined ? {} : { body: JSON.stringify(value) }),
    headers: { 'content-type': 'application/json' },
  });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

export function respond(address: string, init: RequestInit = {}): Promise<Response> {
  const route = ROUTES[address.split('?')[0] ?? ''];
  if (route === undefined) throw new Error(address);
  return route(
    new Request(`http://localhost:3000${address}`, { ...init, headers: { host: 'localhost:3000' } }),
  );
}

/** Reads the answer as pages do, and fails the test if it can't be read. */
export async function getAndRead<T>(address: string, read: (text: string) => Outcome<T>): Promise<T> {
  const response = await respond(address);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const answer = read(text);
  if (!answer.ok) throw new Error(`${answer.failure.detail} ${text.slice(0, 500)}`);
  return answer.value;
}

export const triage = () => getAndRead(triageAddress(), readTriage);

export const group = (id: string) => getAndRead(groupAddress(id, 0), readGroup);

export function diagnosis(
  keeperNetwork: { keeper: string; network_id: string; provider?: string },
  row: { sequence: number; request_tx_hash: string },
): Promise<DiagnosisAnswer> {
  const { keeper, network_id: networkId, provider } = keeperNetwork;
  const locator = {
    keeper,
    networkId,
    provider,
    sequence: String(row.sequence),
    tx: row.request_tx_hash,
  };
  return getAndRead(diagnosisAddress(locator), readDiagnosis);
}
