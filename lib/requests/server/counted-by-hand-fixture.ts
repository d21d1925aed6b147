/** Answers computed from the rows one by one, and readers of exported files. */

import { recogniseQuery } from '@/lib/core/log-query';
import { decodeFailure, failureGroup } from '@/lib/core/request-failure';
import { type RequestRecord, requestDuration, stateWord, type WireTime } from '@/lib/core/request-record';
import type { ColumnId } from '@/lib/requests/columns';
import type { ListedRecord } from '@/lib/requests/requests-response';
import {
  type Bounds,
  RANGE_FILTERS,
  type RangeMember,
  type RequestsView,
  rangeMs,
  viewNowMs,
} from '@/lib/requests/view';
import { NETWORKS, NOW_MS } from './sample-log-fixture';

export function nanosOf(text: string): bigint {
  const ms = BigInt(Date.parse(`${text.slice(0, 19)}Z`));
  return ms * 1_000_000n + BigInt((/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(9, '0'));
}

function completed({ state }: RequestRecord) {
  return state.kind === 'completed' ? state : undefined;
}

function durationNanos(record: RequestRecord): bigint | undefined {
  if (requestDuration(record, 0)?.kind !== 'duration' || record.updatedAt === undefined) return undefined;
  const nanos = nanosOf(record.updatedAt.text) - nanosOf(record.createdAt.text);
  return nanos < 0n ? 0n : nanos;
}

const lower = (text: string | undefined) => text?.toLowerCase();
const time = (at: WireTime | undefined) => (at === undefined ? undefined : nanosOf(at.text));
const whole = (digits: string | undefined) => (digits === undefined ? undefined : BigInt(digits));

type Value = string | bigint | number | undefined;

/** Undefined sorts last. */
export const ORDERED_BY: Record<ColumnId, (record: ListedRecord) => Value> = {
  keeper: ({ keeper }) => keeper,
  network: ({ networkId }) =>
    NETWORKS.find((network) => network.networkId === networkId)?.name.toLowerCase() ??
    `~${networkId.padStart(40, '0')}`,
  sequence: ({ sequence }) => whole(sequence),
  created: ({ createdAt }) => time(createdAt),
  updated: ({ updatedAt }) => time(updatedAt),
  duration: durationNanos,
  state: ({ state }) => stateWord(state),
  sender: ({ sender }) => lower(sender),
  provider: ({ provider }) => lower(provider),
  'request-tx': ({ requestTxHash }) => lower(requestTxHash),
  'reveal-tx': (record) => lower(completed(record)?.revealTxHash),
  block: ({ requestBlock }) => whole(requestBlock),
  'gas-limit': ({ gasLimit }) => whole(gasLimit),
  'gas-used': (record) => whole(completed(record)?.gasUsed),
  'gas-share': (record) => {
    const used = completed(record)?.gasUsed;
    return used === undefined || record.gasLimit === undefined
      ? undefined
      : Number(used) / Number(record.gasLimit);
  },
  failure: (record) => decodeFailure(record)?.text,
  'user-random': ({ userRandomNumber }) => userRandomNumber,
  'provider-random': (record) => completed(record)?.providerRandomNumber,
  'random-number': (record) => completed(record)?.combinedRandomNumber,
};

function isWithin(value: bigint | undefined, { min, max }: Bounds | undefined = {}, scale = 0): boolean {
  if (min === undefined && max === undefined) return true;
  if (value === undefined) return false;
  const scaled = (digits: string) => {
    const [all = '0', fraction = ''] = digits.split('.');
    return BigInt(all + fraction.padEnd(scale, '0'));
  };
  return (min === undefined || value >= scaled(min)) && (max === undefined || value <= scaled(max));
}

/** Figures of a record by the filter of their range; times in nanoseconds. */
const RANGED: Record<RangeMember, (record: ListedRecord) => bigint | undefined> = {
  duration: durationNanos,
  gasLimit: ({ gasLimit }) => whole(gasLimit),
  gasUsed: (record) => whole(completed(record)?.gasUsed),
  block: ({ requestBlock }) => whole(requestBlock),
};

const has = (list: readonly string[], value: string | undefined) =>
  list.length === 0 || (value !== undefined && list.includes(value));

export type Dimension = 'network' | 'state' | 'keeper' | 'sender' | 'provider' | 'failure';

/** Whether a record fulfils the view, whose filter on `ignored` does not count. */
export function holds(view: RequestsView, record: ListedRecord, ignored?: Dimension): boolean {
  const other = (column: Dimension) => column !== ignored;
  const keepers = view.keepers.length === 0 ? ['main', 'test'] : view.keepers;
  const group = failureGroup(record);
  const text = decodeFailure(record)?.text;
  const isOut = view.not.some(({ column, value }) => {
    if (column === ignored) return false;
    if (column === 'failure') return group === value || text === value;
    return String(cellValue(record, column)) === value;
  });
  return (
    !isOut &&
    (!other('keeper') || keepers.includes(record.keeper)) &&
    (!other('network') || has(view.networks, record.networkId)) &&
    (!other('state') || has(view.states, stateWord(record.state))) &&
    (!other('sender') || has(view.senders, lower(record.sender))) &&
    (!other('provider') || has(view.providers, lower(record.provider))) &&
    (!other('failure') ||
      view.failures.length === 0 ||
      has(view.failures, group) ||
      has(view.failures, text)) &&
    isInTime(view, record) &&
    RANGE_FILTERS.every(({ member, unit }) =>
      isWithin(RANGED[member](record), view[member], unit === 'seconds' ? 9 : 0),
    ) &&
    isFound(view.q, record)
  );
}

function cellValue(record: ListedRecord, column: ColumnId): Value {
  return column === 'network' ? record.networkId : ORDERED_BY[column](record);
}

function isInTime(view: RequestsView, record: ListedRecord): boolean {
  const at = nanosOf(record.createdAt.text);
  const { time: filter } = view;
  if (filter.kind === 'all') return true;
  if (filter.kind === 'last') {
    return at >= BigInt(viewNowMs(view, NOW_MS) - (rangeMs(filter.range) ?? 0)) * 1_000_000n;
  }
  return (
    (filter.from === undefined || at >= nanosOf(filter.from)) &&
    (filter.to === undefined || at <= nanosOf(filter.to))
  );
}

function isFound(q: string, record: ListedRecord): boolean {
  const search = recogniseQuery(q);
  switch (search.kind) {
    case 'empty':
      return true;
    case 'transaction':
      return [record.requestTxHash, completed(record)?.revealTxHash].some(
        (tx) => lower(tx) === search.canonical,
      );
    case 'address':
      return [record.sender, record.provider].some((address) => lower(address) === search.canonical);
    case 'sequence':
      return record.sequence === search.canonical;
    case 'none': {
      const name = NETWORKS.find(({ networkId }) => networkId === record.networkId)?.name;
      const texts = [decodeFailure(record)?.text, failureGroup(record), record.chainName, name];
      return texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()));
    }
  }
}

export function countedBy<T>(
  records: readonly T[],
  read: (record: T) => string | undefined,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const record of records) {
    const value = read(record);
    if (value !== undefined) counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

/** Strict RFC 4180, but with line feeds. */
export function readCsv(text: string): string[][] {
  const records: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n|$)/gy;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) throw new Error(`no CSV at ${cell.lastIndex}`);
    records.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\n') records.push([]);
    else if (match[3] === ',' && cell.lastIndex === text.length) records.at(-1)?.push('');
  }
  if (records.at(-1)?.length === 0) records.pop();
  return records;
}
