import 'server-only';
import type {
  FailureTotal,
  HourCounts,
  LatencyHistory,
  SenderTotals,
  SpanTotals,
} from '@/lib/core/span-figures';
import { DAY_US, HOUR_US } from '@/lib/core/time';
import { PARKED_AFTER_MS, RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import { oneRow, type Reader } from '@/lib/store/engine';
import { joinSql, raw, type Sql, sql, sqlList } from '@/lib/store/sql';
import { type RowQuery, viewCondition } from './view-filter';

/**
 * Figures use the time range of the query, both ends included. Percentiles are of the time to callback, interpolated
 * between two rows; failed callbacks are included.
 */

export type NetworkKey = { keeperId: number; networkId: string };

/** Rows after the last bucket count in it. */
export type TimeBuckets = { fromUs: number; bucketUs: number; count: number };

const CALLED_US = sql`case when state in ('completed', 'callback-failed') then duration_us end`;
const FINISHED = sql`state in ('completed', 'callback-failed', 'failed')`;
const PENDING_NOW = sql`state = 'pending' and gone_us is null`;
const NETWORK = sql`keeper_id as "keeperId", network_id as "networkId"`;

const percentile = (share: number, expression: Sql) =>
  sql`percentile_cont(${raw(share)}) within group (order by ${expression})`;
const countOf = (state: string) => raw(`count(*) filter (where state = '${state}')`);

const CREATED = raw('created_us');
const rowsOfView = (query: RowQuery) => sql`from requests where ${viewCondition(query)}`;

/** All three percentiles in one sort, which is a third cheaper than separate ones. */
const PERCENTILES = sql`(percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${CALLED_US}))`;

const TOTALS = sql`count(*) as requests, ${countOf('completed')} as completed,
  ${countOf('callback-failed')} as "callbackFailed", ${countOf('failed')} as failed,
  ${countOf('pending')} as pending, count(*) filter (where state = 'pending' and gone_us is not null) as "pendingGone",
  count(${CALLED_US}) as called,
  ${PERCENTILES}[1] as "p50Us", ${PERCENTILES}[2] as "p95Us", ${PERCENTILES}[3] as "p99Us"`;

export const totals = (from: Reader, query: RowQuery) =>
  oneRow<SpanTotals>(from, sql`select ${TOTALS} ${rowsOfView(query)}`);

/** Figures for the head of a table. `failureGroups` is the number of groups. */
export type RowFigures = SpanTotals & { stuck: number; failureGroups: number };

export function viewFigures(from: Reader, query: RowQuery, stuck: StuckRows): Promise<RowFigures> {
  return oneRow(
    from,
    sql`select ${TOTALS}, count(*) filter (where ${PENDING_NOW} and ${isStuck(stuck)}) as stuck,
       count(distinct failure) as "failureGroups"
     ${rowsOfView(query)}`,
  );
}

export const totalsByNetwork = (from: Reader, query: RowQuery) =>
  from.all<NetworkKey & SpanTotals>(
    sql`select ${NETWORK}, ${TOTALS} ${rowsOfView(query)} group by keeper_id, network_id`,
  );

export const totalsOverTime = (from: Reader, query: RowQuery, buckets: TimeBuckets) =>
  from.all<{ bucket: number } & SpanTotals>(
    sql`select ${bucketOf(CREATED, buckets)} as bucket, ${TOTALS} ${rowsOfView(query)} group by 1`,
  );

export const networksOverTime = (from: Reader, query: RowQuery, buckets: TimeBuckets) =>
  from.all<NetworkKey & { bucket: number; requests: number }>(
    sql`select ${NETWORK}, ${bucketOf(CREATED, buckets)} as bucket, count(*) as requests
     ${rowsOfView(query)} group by keeper_id, network_id, 3`,
  );

function bucketOf(column: Sql, { fromUs, bucketUs, count }: TimeBuckets): Sql {
  return sql`cast(least(floor((${column} - ${fromUs}) / ${bucketUs}), ${count - 1}) as integer)`;
}

export function withTime(query: RowQuery, time: Pick<RowQuery, 'fromUs' | 'toUs'> = {}): RowQuery {
  const { fromUs: _from, toUs: _to, ...rest } = query;
  return { ...rest, ...time };
}

type PendingTotal = NetworkKey & { pending: number; stuck: number; oldestUs: number };

/** A span of creation times of stuck requests, unix microseconds, both ends included. */
type StuckSpan = { fromUs: number; toUs: number };

/** Rows are stuck within the spans of their network, or by id. An entry without a keeper applies to all keepers. */
export type StuckRows = {
  fallback: StuckSpan;
  networks: readonly { keeperId?: number; networkId: string; spans: readonly StuckSpan[] }[];
  ids?: readonly string[];
};

/** @param momentMs of the view, unix ms */
export type StuckRowsAt = (momentMs: number) => StuckRows;

/** Stuck rows before the first triage. Ages are in seconds. */
export function stuckByAge(
  { fallback, networks }: { fallback: number; networks: Record<string, number> },
  nowMs: number,
): StuckRows {
  const microsAgo = (seconds: number) => Math.floor(nowMs * 1000 - seconds * 1_000_000);
  const spanAfter = (seconds: number) => ({
    fromUs: microsAgo(PARKED_AFTER_MS / 1000),
    toUs: microsAgo(seconds),
  });
  return {
    fallback: spanAfter(fallback),
    networks: Object.entries(networks).map(([networkId, seconds]) => ({
      networkId,
      spans: [spanAfter(seconds)],
    })),
  };
}

function isStuck({ fallback, networks, ids = [] }: StuckRows): Sql {
  const inSpan = ({ fromUs, toUs }: StuckSpan) => sql`created_us between ${fromUs} and ${toUs}`;
  const networkCases = networks.map(({ keeperId, networkId, spans }) => {
    const ofKeeper = keeperId === undefined ? raw('') : sql`keeper_id = ${keeperId} and`;
    const isWithinSpan = spans.length === 0 ? raw('false') : joinSql(spans.map(inSpan), ' or ');
    return sql`when ${ofKeeper} network_id = ${networkId} then (${isWithinSpan})`;
  });
  const isOld =
    networkCases.length === 0
      ? inSpan(fallback)
      : sql`case ${joinSql(networkCases, ' ')} else ${inSpan(fallback)} end`;
  if (ids.length === 0) return isOld;
  return sql`(${isOld} or id in ${sqlList(ids.map((id) => sql`cast(${id} as uuid)`))})`;
}

/** @param stuck from `stuckByAge`: its spans begin at the same moment, so that older rows need not be read */
export async function stuckInStates(
  from: Reader,
  keeperId: number,
  states: readonly string[],
  stuck: StuckRows,
): Promise<number> {
  const { n } = await oneRow<{ n: number }>(
    from,
    sql`select count(*) as n from requests where keeper_id = ${keeperId} and state in ${sqlList(states)}
     and gone_us is null and created_us >= ${stuck.fallback.fromUs} and ${isStuck(stuck)}`,
  );
  return n;
}

/** Rows of any time. `oldestUs`: creation of the oldest stuck row, or of the oldest row if none is stuck. */
export function pendingByNetwork(from: Reader, query: RowQuery, stuck: StuckRows): Promise<PendingTotal[]> {
  const isStuckRow = isStuck(stuck);
  return from.all(
    sql`select ${NETWORK}, count(*) as pending, count(*) filter (where ${isStuckRow}) as stuck,
       coalesce(min(created_us) filter (where ${isStuckRow}), min(created_us)) as "oldestUs"
     ${rowsOfView(withTime(query))} and ${PENDING_NOW} group by keeper_id, network_id`,
  );
}

/** Rows that were pending when the first bucket began, and that became or ceased to be pending in each bucket. */
type PendingFlow = {
  atStart: number;
  came: { bucket: number; rows: number }[];
  went: { bucket: number; rows: number }[];
};

/** A finished row counts as pending until it was first seen finished, if the service names that time. */
const ENDED_US = sql`(created_us + coalesce(duration_us, 0))`;
const WAS_PENDING = sql`((${PENDING_NOW}) or (${FINISHED} and duration_us is not null))`;

/** The changes add up to the current number of pending rows. */
export async function pendingFlow(
  from: Reader,
  query: RowQuery,
  sinceUs: number,
  buckets: TimeBuckets,
): Promise<PendingFlow> {
  const rows = rowsOfView(withTime(query));
  const countsBy = (column: Sql, where: Sql) =>
    from.all<PendingFlow['came'][number]>(
      sql`select ${bucketOf(column, buckets)} as bucket, count(*) as rows
       ${rows} and ${where} and ${column} >= ${sinceUs} group by 1`,
    );
  const { n: atStart } = await oneRow<{ n: number }>(
    from,
    sql`select count(*) as n ${rows} and created_us < ${sinceUs} and ${WAS_PENDING}
       and (state = 'pending' or ${ENDED_US} >= ${sinceUs})`,
  );
  const came = await countsBy(CREATED, WAS_PENDING);
  return { atStart, came, went: await countsBy(ENDED_US, sql`${FINISHED} and duration_us is not null`) };
}

/** `groups` and `rows` count all groups and their rows. */
type FailureTotals = { totals: FailureTotal[]; groups: number; rows: number };

/** Failure groups, most frequent first. @param max number of groups to return */
export async function failureTotals(from: Reader, query: RowQuery, max: number): Promise<FailureTotals> {
  const totals = await from.all<FailureTotal & { groups: number; sum: number }>(
    sql`select failure as "group", count(*) as rows, min(created_us) as "firstUs", max(created_us) as "lastUs",
       count(*) filter (where state = 'callback-failed') as callbacks, count(distinct sender) as senders,
       coalesce(min(failure_text), failure) as example,
       count(*) over () as groups, cast(sum(count(*)) over () as bigint) as sum
     ${rowsOfView(query)} and failure is not null group by failure order by rows desc, failure limit ${raw(max)}`,
  );
  const { groups = 0, sum: rows = 0 } = totals[0] ?? {};
  return { totals: totals.map(({ groups: _groups, sum: _sum, ...total }) => total), groups, rows };
}

/** Rows that are enough to judge a group. */
const MAX_MEMBERS = 20;

/** The newest row of each sender, so that no single contract speaks for a group. */
export async function failedMembers(from: Reader, query: RowQuery, groups: readonly string[]) {
  if (groups.length === 0) return [];
  return from.all<{ group: string; wire: string }>(
    sql`with newest as (
       select id, failure, created_us, row_number() over (partition by failure, sender order by created_us desc, id) as place
       ${rowsOfGroups(query, groups)} and state = 'failed'
     ), members as (
       select id, row_number() over (partition by failure order by created_us desc, id) as place from newest where place = 1
     )
     select failure as "group", wire from requests
     where id in (select id from members where place <= ${raw(MAX_MEMBERS)})`,
  );
}

const rowsOfGroups = (query: RowQuery, groups: readonly string[]) =>
  sql`${rowsOfView(query)} and failure in ${sqlList(groups)}`;

export const failuresByNetwork = (from: Reader, query: RowQuery, groups: readonly string[]) =>
  from.all<{ group: string; networkId: string; rows: number }>(
    sql`select failure as "group", network_id as "networkId", count(*) as rows
     ${rowsOfGroups(query, groups)} group by failure, network_id`,
  );

export const failuresOverTime = (
  from: Reader,
  query: RowQuery,
  groups: readonly string[],
  buckets: TimeBuckets,
) =>
  from.all<{ group: string; bucket: number; rows: number }>(
    sql`select failure as "group", ${bucketOf(CREATED, buckets)} as bucket, count(*) as rows
     ${rowsOfGroups(query, groups)} group by failure, 2`,
  );

export async function groupsWithRows(from: Reader, query: RowQuery, groups: readonly string[]) {
  const distinct = sql`select distinct failure as "group" ${rowsOfGroups(query, groups)}`;
  const rows = await from.all<{ group: string }>(distinct);
  return new Set(rows.map(({ group }) => group));
}

/** Lower-case addresses. `count` is the number of all contracts. */
type TopSenders = { byRequests: string[]; byFailures: string[]; count: number };

export async function topSenders(from: Reader, query: RowQuery, max: number): Promise<TopSenders> {
  type Ranked = { sender: string; failures: number; byRequests: number; byFailures: number; senders: number };
  const ranked = await from.all<Ranked>(
    sql`with counted as (
       select sender, count(*) as requests, count(*) filter (where state in ('failed', 'callback-failed')) as failures
       ${rowsOfView(query)} and sender is not null group by sender
     ), ranked as (
       select sender, failures, row_number() over (order by requests desc, sender) as "byRequests",
         row_number() over (order by failures desc, requests desc, sender) as "byFailures", count(*) over () as senders
       from counted
     )
     select * from ranked where "byRequests" <= ${max} or ("byFailures" <= ${max} and failures > 0)`,
  );
  const first = (rank: 'byRequests' | 'byFailures', minFailures: number) =>
    ranked
      .filter((total) => total[rank] <= max && total.failures >= minFailures)
      .sort((a, b) => a[rank] - b[rank])
      .map(({ sender }) => sender);
  return {
    byRequests: first('byRequests', 0),
    byFailures: first('byFailures', 1),
    count: ranked[0]?.senders ?? 0,
  };
}

/** Unordered. */
export const totalsOfSenders = (from: Reader, query: RowQuery, senders: readonly string[]) =>
  from.all<SenderTotals>(
    sql`select sender, ${TOTALS}, count(distinct network_id) as networks, max(created_us) as "lastUs",
       ${percentile(0.5, raw('gas_share'))} as "p50GasShare", ${percentile(0.95, raw('gas_share'))} as "p95GasShare"
     ${rowsOfView(query)} and sender in ${sqlList(senders)} group by sender`,
  );

/** Hours are counted back from 0, the last hour. Hours 24, 48, … 168 are the same hour of the seven previous days. */
const WEEK_HOURS = 7 * 24;
/** The last day, each hour of which is compared with the seven days before. */
const HOURS_BACK = 8 * 24 - 1;

/** First and last request over all time. */
type NetworkPast = NetworkKey & { firstUs: number; lastUs: number };

/** Baselines from the seven days before the hour that ends at `nowUs`. The time range of the query is ignored. */
export async function networkBaselines(from: Reader, query: RowQuery, nowUs: number) {
  const hour = sql`cast(greatest(0, floor((${nowUs} - created_us) / ${HOUR_US})) as integer)`;
  const lately = (hoursBack: number) =>
    rowsOfView(withTime(query, { fromUs: nowUs - (hoursBack + 1) * HOUR_US + 1 }));
  const calledWhen = (when: string) => sql`case when ${raw(when)} then called_us end`;
  const isNow = calledWhen('hour = 0');
  const isHour = calledWhen('hour > 0 and mod(hour, 24) = 0');
  const isWeek = calledWhen('hour > 0');
  const p95 = (expression: Sql) => percentile(0.95, expression);
  const past = await from.all<NetworkPast>(
    sql`select ${NETWORK}, min(created_us) as "firstUs", max(created_us) as "lastUs"
     ${rowsOfView(withTime(query))} group by keeper_id, network_id`,
  );
  const hoursIn = (rows: Sql) =>
    from.all<NetworkKey & HourCounts>(
      sql`select ${NETWORK}, ${hour} as hour, count(*) as requests,
         count(*) filter (where ${FINISHED}) as finished, ${countOf('failed')} as failed,
         ${countOf('callback-failed')} as "callbackFailed"
       ${rows} group by keeper_id, network_id, 3`,
    );
  const isSilent = ({ lastUs }: NetworkPast) =>
    lastUs <= nowUs - DAY_US && lastUs >= nowUs - RETIRED_AFTER_MS * 1000;
  // Each from its own start: a network that is silent for long widens no other one's span.
  const beforeSilence = past
    .filter(isSilent)
    .map(
      ({ keeperId, networkId, lastUs }) =>
        sql`(keeper_id = ${keeperId} and network_id = ${networkId} and created_us >= ${lastUs - (HOURS_BACK + 1) * HOUR_US})`,
    );
  const older = rowsOfView(withTime(query, { toUs: nowUs - (HOURS_BACK + 1) * HOUR_US }));
  return {
    past,
    hours: [
      ...(await hoursIn(lately(HOURS_BACK))),
      ...(beforeSilence.length === 0
        ? []
        : await hoursIn(sql`${older} and (${joinSql(beforeSilence, ' or ')})`)),
    ],
    latency: await from.all<NetworkKey & LatencyHistory>(
      sql`with lately as (
         select keeper_id, network_id, ${hour} as hour, ${CALLED_US} as called_us ${lately(WEEK_HOURS)}
       )
       select ${NETWORK}, count(${isNow}) as "nowCalled", ${p95(isNow)} as "nowP95Us",
         count(${isHour}) as "hourCalled", ${p95(isHour)} as "hourP95Us",
         count(${isWeek}) as "weekCalled", ${p95(isWeek)} as "weekP95Us"
       from lately group by keeper_id, network_id`,
    ),
  };
}

/** `within` has the number of callbacks within each given time. */
export type FinishedTotal = NetworkKey & {
  state: string;
  rows: number;
  /** Rows with a time to callback; `seconds` is the sum of these times. */
  called: number;
  seconds: number;
  within: number[];
};

/** `slow`: the callback came more than `slowUs` after the request. */
type RowProblem = { kind: 'failing' | 'callbacks-failing' | 'slow'; slowUs: number };

/** Oldest first. `us`: creation. `place`: position among the rows that could show the problem. */
export function rowsByProblem(from: Reader, query: RowQuery, problem: RowProblem, limit: number) {
  const [among, isProblem] = {
    failing: [FINISHED, sql`state = 'failed'`],
    'callbacks-failing': [sql`state in ('completed', 'callback-failed')`, sql`state = 'callback-failed'`],
    slow: [sql`${CALLED_US} is not null`, sql`${CALLED_US} > ${problem.slowUs}`],
  }[problem.kind] as [Sql, Sql];
  return from.all<{ us: number; place: number }>(
    sql`select us, place from (
       select created_us as us, row_number() over (order by created_us, id) as place, ${isProblem} as is_problem
       ${rowsOfView(query)} and ${among}
     ) as finished where is_problem order by place limit ${raw(limit)}`,
  );
}

/** @param edgesS bucket edges of the time to callback in seconds, ascending */
export async function finishedSince(
  from: Reader,
  keeperIds: readonly number[],
  sinceUs: number,
  edgesS: readonly number[],
): Promise<FinishedTotal[]> {
  const within = edgesS.map(
    (edge, index) =>
      sql`count(*) filter (where ${CALLED_US} <= ${Math.round(edge * 1_000_000)}) as ${raw(`"within${index}"`)}`,
  );
  const totals = await from.all<NetworkKey & Record<string, string | number>>(
    sql`select ${NETWORK}, state, count(*) as rows, count(${CALLED_US}) as called,
       coalesce(sum(cast(${CALLED_US} as double precision)), 0) / 1000000 as seconds, ${joinSql(within)}
     from requests where keeper_id in ${sqlList(keeperIds)} and ${FINISHED} and ${ENDED_US} >= ${sinceUs}
     group by keeper_id, network_id, state`,
  );
  return totals.map(({ keeperId, networkId, state, rows, called, seconds, ...counts }) => ({
    keeperId,
    networkId,
    state: String(state),
    rows: Number(rows),
    called: Number(called),
    seconds: Number(seconds),
    within: edgesS.map((_, index) => Number(counts[`within${index}`])),
  }));
}
