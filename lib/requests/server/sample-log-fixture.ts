/** An index with rows of every kind, and the same rows as records, so that tests can count them by hand. */

import { readPage } from '@/lib/core/log-row-fixture';
import { failed } from '@/lib/core/outcome';
import type { ListedRecord } from '@/lib/requests/requests-response';
import { openTestStore } from '@/lib/store/engine-fixture';
import { stuckByAge } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { type RequestsDeps, summaryReply } from './requests-endpoint';

export const NOW_MS = Date.parse('2026-11-20T09:00:00.000Z');
export const NETWORKS = [
  { networkId: '8453', name: 'Base' },
  { networkId: '42161', name: 'Arbitrum One' },
  { networkId: '1', name: 'Ethereum' },
];
export const NETWORK_IDS = ['8453', '42161', '1', '777000777'];
export const SENDERS = Array.from(
  { length: 12 },
  (_, index) => `0x${(index + 1).toString(16).padStart(40, 'a')}`,
);
export const PROVIDERS = ['b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
export const REASONS = [
  'Insufficient balance: 17 of 20',
  'Insufficient balance: 3 of 9',
  "50% off_ \\ 'x' -- \" ;",
  'Reverted: 0x1c26714c',
];

/** Seeded random numbers from 0 up to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const pick = <T>(roll: () => number, values: readonly T[]): T =>
  values[Math.floor(roll() * values.length)] as T;
const hash = (...parts: number[]) =>
  `0x${parts
    .map((part) => part.toString(16))
    .join('f')
    .padStart(64, 'd')}`;

function stateJson(roll: () => number, sequence: number): string {
  const kind = roll();
  const gas = `"gas_used":${roll() < 0.5 ? Math.floor(roll() * 600_000) : `"${Math.floor(roll() * 600_000)}"`}`;
  const reveal = `"reveal_tx_hash":"${hash(9, sequence)}","combined_random_number":"${hash(3, sequence)}"`;
  if (kind < 0.1) return '{"state":"pending"}';
  if (kind < 0.2) return `{"state":"failed","reason":${JSON.stringify(pick(roll, REASONS))}}`;
  if (kind < 0.25) return '{"state":"Revealing"}';
  if (kind < 0.35)
    return `{"state":"completed","callback_failed":true,"callback_return_value":"0x1c26714c",${gas},${reveal}}`;
  return `{"state":"completed","callback_failed":false,${gas},${reveal}}`;
}

/** Rows come in bursts of one instant, some with digits beyond 2^53 or with missing members. */
export function sampleRow(roll: () => number, sequence: number, createdMs: number): string {
  const created = `${new Date(createdMs).toISOString().slice(0, -1)}${Math.floor(roll() * 1000)
    .toString()
    .padStart(3, '0')}Z`;
  const updated = new Date(createdMs + Math.floor(roll() * 90_000)).toISOString();
  const network = pick(roll, NETWORK_IDS);
  const large = roll() < 0.05 ? '18446744073709' : '';
  const members = [
    `"chain_id":"${network === '1' ? 'ethereum' : `chain-${network}`}"`,
    `"network_id":${roll() < 0.5 ? network : `"${network}"`}`,
    `"created_at":"${roll() < 0.3 ? `${created.slice(0, 20)}000000Z` : created}"`,
    ...(roll() < 0.9 ? [`"last_updated_at":"${updated}"`] : []),
    ...(roll() < 0.95
      ? [`"gas_limit":"${pick(roll, ['500000', '100000', '99999', '12345678901234567890123'])}"`]
      : []),
    ...(roll() < 0.95
      ? [
          `"sender":"${roll() < 0.5 ? pick(roll, SENDERS) : pick(roll, SENDERS).toUpperCase().replace('X', 'x')}"`,
        ]
      : []),
    `"provider":"${pick(roll, PROVIDERS)}"`,
    `"request_block_number":${Math.floor(roll() * 1000)}`,
    `"request_tx_hash":"${hash(Math.floor(sequence / 2))}"`,
    `"sequence":${large}${sequence}`,
    `"user_random_number":"${hash(5, sequence)}"`,
    `"state":${stateJson(roll, sequence)}`,
    '"invented":1.50',
  ];
  return `{${members.join(',')}}`;
}

/** Rows over the last days before `NOW_MS`, about ten at an instant. */
export function sampleRows(seed: number, count: number, first = 1): string[] {
  const roll = seededRandom(seed);
  return Array.from({ length: count }, (_, index) =>
    sampleRow(roll, first + index, NOW_MS - Math.floor(index / 10) * 517_003 - 1000),
  );
}

export const replyWithSummary = summaryReply((momentMs) =>
  stuckByAge({ fallback: 3600, networks: { '8453': 7200 } }, momentMs),
);

export type SampleLog = {
  store: IndexStore;
  deps: RequestsDeps;
  /** Every readable row, of both keepers. */
  records: ListedRecord[];
  pass(ms: number): void;
};

export async function emptyLog(): Promise<SampleLog> {
  let nowMs = NOW_MS;
  const store = await openTestStore(() => nowMs, 'main', 'test');
  const deps: RequestsDeps = {
    store,
    networks: async () => NETWORKS,
    clocks: () => [],
    queryLogs: async () => failed({ kind: 'unreachable', detail: 'No service is queried here.' }),
  };
  return {
    store,
    deps,
    records: [],
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

/** Parses the rows as the application does. */
export async function addRows(
  log: SampleLog,
  keeper: string,
  texts: readonly string[],
  as: 'new' | 'history',
): Promise<void> {
  const [keeperId = 0] = log.store.keeperIds([keeper]);
  const { rows } = readPage([...texts]);
  await log.store.ingest(keeperId, rows, as);
  for (const row of rows) {
    if (row.kind !== 'record') continue;
    const key = `${keeper}/${row.key}`;
    const at = log.records.findIndex((record) => record.key === key);
    const record = { ...row, key, keeper };
    if (at >= 0) log.records[at] = record;
    else log.records.push(record);
  }
}

export async function sampleLog(count: number): Promise<SampleLog> {
  const log = await emptyLog();
  await addRows(log, 'main', sampleRows(1, count), 'history');
  await addRows(log, 'test', sampleRows(2, Math.floor(count / 4), 1), 'history');
  return log;
}
