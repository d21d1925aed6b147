import 'server-only';
import { problemReply, textReply } from '@/lib/access/reply';
import { type ClockSkew, unconfigured } from '@/lib/core/health';
import { type RecognisedQuery, recogniseQuery } from '@/lib/core/log-query';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemDetails, problemMember } from '@/lib/core/problem';
import { failureGroup } from '@/lib/core/request-failure';
import { type LogPage, type RequestRecord, readRowText } from '@/lib/core/request-record';
import { DAY_US } from '@/lib/core/time';
import { completion } from '@/lib/requests/column-schema';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { type RequestLocator, readLocator } from '@/lib/requests/request-address';
import type { WrittenRequest, WrittenSearchResult } from '@/lib/requests/requests-response';
import { defaultRequestsView } from '@/lib/requests/view';
import { services, skewedClocks } from '@/lib/services/services';
import {
  callbackLatency,
  failuresLike,
  type IdentifiedRow,
  type IdentifiedRows,
  neighboursOf,
  requestsOfSender,
  requestsOfSequence,
  requestsOfTransaction,
} from '@/lib/store/queries/request-rows';
import { pageOfView } from '@/lib/store/queries/view-rows';
import { wireMicros } from '@/lib/store/record-row';
import type { IndexStore } from '@/lib/store/store';
import { resolveView, writtenRows } from './listing';

/** @param query without its question mark */
export type QueryLogs = (keeper: string, query: string) => Promise<Outcome<LogPage>>;

const NEIGHBOURS = 3;
const MAX_TRANSACTION_ROWS = 20;
const MAX_SENDER_ROWS = 10;
const MAX_SERVICE_ROWS = 100;
/** Days over which the typical latency is measured. */
const TYPICAL_DAYS = 7;
const SAME_FAILURE_DAYS = 7;
/** Requests below which the typical latency is measured over all time. */
const MIN_TYPICAL = 20;
const BEGINNING_US = -9_000_000_000_000_000;

/**
 * Answers one request with the text of a `RequestAnswer`. If the index lacks it, services of keepers that may have it
 * are queried too.
 * @param queryLogs if absent, `complete` is false where a service would have been queried
 * @param clocks of keepers whose clocks differ much from ours
 */
export async function requestAnswer(
  store: IndexStore,
  locator: RequestLocator,
  queryLogs?: QueryLogs,
  clocks: (keepers: readonly string[]) => ClockSkew[] = () => [],
): Promise<{ text: string; complete: boolean }> {
  const { revision } = store;
  const ids = store.keeperIds(locator.keepers);
  const names = ids.map((id) => store.keeperName(id));
  // Status first: otherwise history read in between would count as covered although its rows are missing.
  const index = store.status().filter(({ keeper }) => names.includes(keeper));
  const indexed = await requestsOfSequence(store.engine, ids, locator.networkId, locator.sequence);
  const short = indexed.length > 0 ? [] : index.filter((status) => mayLackRows(status, store.now()));
  const uncovered = short.map(({ keeper }) => keeper);
  const { networkId, sequence } = locator;
  const query = `network_id=${networkId}&query=${sequence}&limit=${MAX_SERVICE_ROWS}`;
  const isRequested = (row: RequestRecord) => row.networkId === networkId && row.sequence === sequence;
  const answers =
    queryLogs === undefined ? [] : await queryKeepers(store, uncovered, query, queryLogs, isRequested);
  const rows = [...indexed, ...answers.flatMap((answer) => (answer.ok ? answer.value.rows : []))];
  const fitting = rows.filter((row) => fits(row, locator));
  const [match] = fitting;
  const written: WrittenRequest = {
    atMs: Math.round(store.now()),
    revision,
    rows: writtenRows(store, rows),
    ...(match === undefined || fitting.length > 1 ? {} : { related: await relatedTo(store, match, index) }),
    uncovered,
    queried: answers.map((answer, index) => ({
      keeper: uncovered[index] ?? '',
      ...(answer.ok ? unfound(answer.value) : { failure: problemMember(answer.failure) }),
    })),
    index,
    clocks: clocks([...new Set(rows.map(({ keeperId }) => store.keeperName(keeperId)))]),
  };
  return { text: JSON.stringify(written), complete: uncovered.length === 0 || queryLogs !== undefined };
}

function fits(row: IdentifiedRow, { provider, tx }: RequestLocator): boolean {
  return (
    (provider === undefined || row.provider === provider.toLowerCase()) &&
    (tx === undefined || row.requestTx === tx.toLowerCase())
  );
}

/** The keeper's history is not read to the end, or its newest rows were not read for a while. */
function mayLackRows({ coversAll, syncedAtMs }: KeeperStatus, nowMs: number): boolean {
  return !coversAll || syncedAtMs === null || nowMs - syncedAtMs > STALE_AFTER_MS;
}

/** `isPartial`: the service has more rows than it returned. */
type ServiceMatches = { rows: IdentifiedRow[]; isPartial: boolean };

const unfound = ({ rows, isPartial }: ServiceMatches) =>
  isPartial && rows.length === 0 ? { isPartial } : {};

/** Filtered exactly, because a service finds a text in any member. */
function queryKeepers(
  store: IndexStore,
  keepers: readonly string[],
  query: string,
  queryLogs: QueryLogs,
  isRequested: (row: RequestRecord) => boolean,
): Promise<Outcome<ServiceMatches>[]> {
  const answers = keepers.map(async (keeper): Promise<Outcome<ServiceMatches>> => {
    const page = await queryLogs(keeper, query);
    if (!page.ok) return page;
    const [keeperId = 0] = store.keeperIds([keeper]);
    const records = page.value.rows.filter((row) => row.kind === 'record').filter(isRequested);
    const rows = records.map(({ networkId, sequence, rawJson: wire, ...row }) => ({
      keeperId,
      networkId,
      sequence,
      wire,
      gone: false,
      finishedUs: null,
      provider: row.provider?.toLowerCase() ?? null,
      sender: row.sender?.toLowerCase() ?? null,
      requestTx: row.requestTxHash?.toLowerCase() ?? null,
    }));
    return ok({ rows, isPartial: BigInt(page.value.total ?? 0) > page.value.rows.length });
  });
  return Promise.all(answers);
}

async function relatedTo(
  store: IndexStore,
  row: IdentifiedRow,
  index: readonly KeeperStatus[],
): Promise<WrittenRequest['related']> {
  const { engine } = store;
  const { keeperId, requestTx, sender } = row;
  const status = index.find(({ keeper }) => keeper === store.keeperName(keeperId));
  const coveredFromMs = status?.coversAll ? BEGINNING_US / 1000 : (status?.coveredFromMs ?? null);
  const none: IdentifiedRows = { rows: [], total: 0 };
  const [before, after, transaction, ofSender, latency, sameFailure] = await Promise.all([
    neighboursOf(engine, row, 'before', NEIGHBOURS),
    neighboursOf(engine, row, 'after', NEIGHBOURS),
    requestTx === null ? none : requestsOfTransaction(engine, keeperId, requestTx, MAX_TRANSACTION_ROWS),
    sender === null ? none : requestsOfSender(engine, keeperId, sender, MAX_SENDER_ROWS),
    typicalLatency(store, row),
    sameFailureOf(store, row, coveredFromMs),
  ]);
  const list = ({ rows, total }: IdentifiedRows) => ({
    rows: writtenRows(store, rows),
    total: String(total),
  });
  return {
    before: writtenRows(store, before),
    after: writtenRows(store, after),
    transaction: list(transaction),
    sender: list(ofSender),
    latency,
    sameFailure,
    coveredFromMs,
  };
}

/** Undefined if this request did not fail, or if the index lacks a part of that time. */
async function sameFailureOf(
  store: IndexStore,
  { keeperId, wire }: IdentifiedRow,
  coveredFromMs: number | null,
) {
  const record = readRowText(wire);
  const group = record.kind === 'record' ? failureGroup(record) : undefined;
  if (group === undefined || record.kind !== 'record') return undefined;
  const sinceUs = Math.round(store.now()) * 1000 - SAME_FAILURE_DAYS * DAY_US;
  if (coveredFromMs === null || coveredFromMs * 1000 > sinceUs) return undefined;
  const count = await failuresLike(store.engine, keeperId, group, sinceUs);
  return { count, isOneOfThem: wireMicros(record.createdAt) >= sinceUs };
}

async function typicalLatency(store: IndexStore, { keeperId, networkId }: IdentifiedRow) {
  const sinceUs = Math.round(store.now()) * 1000 - TYPICAL_DAYS * DAY_US;
  const week = await callbackLatency(store.engine, keeperId, networkId, sinceUs);
  if (week !== undefined && week.count >= MIN_TYPICAL) return { ...week, days: TYPICAL_DAYS };
  const all = await callbackLatency(store.engine, keeperId, networkId, BEGINNING_US);
  return all !== undefined && all.count >= MIN_TYPICAL ? all : undefined;
}

export const queryLogService: QueryLogs = async (keeper, query) =>
  services().logs.get(keeper)?.logs(query, 'user') ?? failed(unconfigured('logs'));

export function lookUpRequest(locator: RequestLocator, wait: 'index' | 'services') {
  const queryLogs = wait === 'services' ? queryLogService : undefined;
  return requestAnswer(services().index, locator, queryLogs, skewedClocks);
}

/** `GET /api/view/requests/one?network=&sequence=[&keeper=&provider=&tx=]`. */
export async function replyWithRequest(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const locator = readLocator(params.get('network') ?? '', params.get('sequence') ?? '', params);
  if (locator === undefined) {
    return problemReply(problemDetails('bad-request', 'network and sequence should be numbers.'));
  }
  const { text } = await lookUpRequest(locator, 'services');
  return textReply(text);
}

const MAX_FOUND = 20;

type Search = Extract<RecognisedQuery, { canonical: string }>;

/** Searches all rows, then the services of keepers whose requests the index may lack. */
export async function findRequests(
  store: IndexStore,
  text: string,
  queryLogs: QueryLogs,
): Promise<Outcome<WrittenSearchResult>> {
  const search = recogniseQuery(text);
  const { kind } = search;
  if (kind === 'empty' || kind === 'none') {
    return ok({ kind, rows: [], total: '0', complete: true, queriedService: false });
  }
  const keepers = store.keepers.map(({ name }) => name);
  const view = { ...defaultRequestsView(), q: search.canonical, time: { kind: 'all' as const }, keepers };
  const resolved = resolveView({ ...view, size: MAX_FOUND }, store, []);
  if (!resolved.ok) return resolved;
  const { query, names } = resolved.value;
  const uncovered = store.status().filter((status) => mayLackRows(status, store.now()));
  const page = await pageOfView(store.engine, query, names, { kind: 'offset', offset: 0 });
  const ofService = `query=${search.canonical}&limit=${MAX_FOUND}`;
  const short = page.total > 0 ? [] : uncovered.map(({ keeper }) => keeper);
  const answers = await queryKeepers(store, short, ofService, queryLogs, (row) => isAbout(row, search));
  const rows = [...page.rows, ...answers.flatMap((answer) => (answer.ok ? answer.value.rows : []))];
  const isWhole = answers.every((answer) => answer.ok && !answer.value.isPartial);
  return ok({
    kind,
    rows: writtenRows(store, rows.slice(0, MAX_FOUND)),
    total: String(Math.max(page.total, rows.length)),
    complete: uncovered.length === 0 || (page.total === 0 && isWhole),
    queriedService: answers.length > 0,
  });
}

function isAbout(row: RequestRecord, { kind, canonical }: Search): boolean {
  const places = {
    transaction: [row.requestTxHash, completion(row)?.revealTxHash],
    address: [row.sender, row.provider],
    sequence: [row.sequence],
  }[kind];
  return places.some((place) => place?.toLowerCase() === canonical);
}
