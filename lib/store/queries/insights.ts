import 'server-only';
import type { Session, SqlRow } from '@/lib/store/engine';
import { conditionOf, Parameters, type RowQuery } from './view-filter';

/**
 * Figures of the rows of a view. All of them take the time of the query, both ends inclusive; percentiles are of the time to
 * callback (rows whose callback was called, whatever became of it), between two rows where they fall between them.
 */
type All = Session['all'];

/** Rows by state (in our words; what else a service writes counts in `requests` alone), and how long callbacks took. */
export type Totals = {
  requests: number;
  completed: number;
  callbackFailed: number;
  failed: number;
  pending: number;
  /** Rows that have a time to callback. */
  called: number;
  /** Microseconds; null where no row has a time to callback. */
  p50Us: number | null;
  p95Us: number | null;
  p99Us: number | null;
};

/** One network of one keeper. */
export type NetworkKey = { keeperId: number; networkId: string };

/** Buckets of equal length. What is later than the last one belongs to it. */
export type TimeBuckets = { fromUs: number; bucketUs: number; count: number };

const CALLED_US = "case when state in ('completed', 'callback-failed') then duration_us end";
const FINISHED = "state in ('completed', 'callback-failed', 'failed')";
/** A pending row that its service no longer has is not known to be pending. */
const PENDING_NOW = "state = 'pending' and gone_us is null";
const NETWORK = 'keeper_id as "keeperId", network_id as "networkId"';

const percentile = (share: number, of: string) => `percentile_cont(${share}) within group (order by ${of})`;
const countOf = (state: string) => `count(*) filter (where state = '${state}')`;

/** One sort for the three of them: a third cheaper than each by itself. */
const PERCENTILES = `(percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${CALLED_US}))`;

const TOTALS = `count(*) as requests, ${countOf('completed')} as completed,
  ${countOf('callback-failed')} as "callbackFailed", ${countOf('failed')} as failed,
  ${countOf('pending')} as pending, count(${CALLED_US}) as called,
  ${PERCENTILES}[1] as "p50Us", ${PERCENTILES}[2] as "p95Us", ${PERCENTILES}[3] as "p99Us"`;

/** Of all rows of the query. */
export async function totals(all: All, query: RowQuery): Promise<Totals> {
  const parameters = new Parameters();
  const [row] = await all<Totals>(
    `select ${TOTALS} from requests where ${conditionOf(query, parameters)}`,
    parameters.values,
  );
  if (row === undefined) throw new Error('An aggregate without groups has one row.');
  return row;
}

/** Of all rows of the query: what a table says of its view. `stuck`: of the pending ones; `failureGroups`: how many there are. */
export type ViewFigures = Totals & { stuck: number; failureGroups: number };

export async function viewFigures(all: All, query: RowQuery, stuck: StuckBefore): Promise<ViewFigures> {
  const parameters = new Parameters();
  const condition = conditionOf(query, parameters);
  const isStuck = `${PENDING_NOW} and created_us <= ${stuckUs(stuck, parameters)}`;
  const [row] = await all<ViewFigures>(
    `select ${TOTALS}, count(*) filter (where ${isStuck}) as stuck, count(distinct failure) as "failureGroups"
     from requests where ${condition}`,
    parameters.values,
  );
  if (row === undefined) throw new Error('An aggregate without groups has one row.');
  return row;
}

/** Of each network of each keeper that has rows. */
export function totalsByNetwork(all: All, query: RowQuery): Promise<(NetworkKey & Totals)[]> {
  const parameters = new Parameters();
  return all(
    `select ${NETWORK}, ${TOTALS} from requests where ${conditionOf(query, parameters)}
     group by keeper_id, network_id`,
    parameters.values,
  );
}

/** Of each bucket that has rows. */
export function totalsOverTime(
  all: All,
  query: RowQuery,
  buckets: TimeBuckets,
): Promise<({ bucket: number } & Totals)[]> {
  const parameters = new Parameters();
  const bucket = bucketOf('created_us', buckets, parameters);
  return all(
    `select ${bucket} as bucket, ${TOTALS} from requests where ${conditionOf(query, parameters)} group by 1`,
    parameters.values,
  );
}

/** How many rows of each network were created in each bucket. */
export function networksOverTime(
  all: All,
  query: RowQuery,
  buckets: TimeBuckets,
): Promise<(NetworkKey & { bucket: number; requests: number })[]> {
  const parameters = new Parameters();
  const bucket = bucketOf('created_us', buckets, parameters);
  return all(
    `select ${NETWORK}, ${bucket} as bucket, count(*) as requests
     from requests where ${conditionOf(query, parameters)} group by keeper_id, network_id, 3`,
    parameters.values,
  );
}

function bucketOf(column: string, { fromUs, bucketUs, count }: TimeBuckets, parameters: Parameters): string {
  const at = `floor((${column} - ${parameters.add(fromUs)}) / ${parameters.add(bucketUs)})`;
  return `cast(least(${at}, ${parameters.add(count - 1)}) as integer)`;
}

/** The query with another time; without one it is of all time. */
export function during(query: RowQuery, time: Pick<RowQuery, 'fromUs' | 'toUs'> = {}): RowQuery {
  const { fromUs: _from, toUs: _to, ...rest } = query;
  return { ...rest, ...time };
}

/** Pending rows of a network that its service still serves, whenever they were created. */
export type PendingTotal = NetworkKey & { pending: number; stuck: number; oldestUs: number };

/** Rows created at that moment or before are stuck while they are pending, unix microseconds. */
export type StuckBefore = { usualUs: number; networks: readonly { networkId: string; us: number }[] };

/** @param stuckAfterS seconds after which a pending request is stuck: usually, and on networks of another threshold */
export function stuckBefore(
  { usual, networks }: { usual: number; networks: Record<string, number> },
  nowMs: number,
): StuckBefore {
  const at = (seconds: number) => Math.floor(nowMs * 1000 - seconds * 1_000_000);
  return {
    usualUs: at(usual),
    networks: Object.entries(networks).map(([networkId, seconds]) => ({ networkId, us: at(seconds) })),
  };
}

/** The moment of a row's network. */
function stuckUs({ usualUs, networks }: StuckBefore, parameters: Parameters): string {
  const own = networks.map(
    ({ networkId, us }) => `when network_id = ${parameters.add(networkId)} then ${parameters.add(us)}`,
  );
  const usual = parameters.add(usualUs);
  return own.length === 0 ? usual : `case ${own.join(' ')} else ${usual} end`;
}

/** Pending rows by network, whatever the time of the query. */
export function pendingByNetwork(all: All, query: RowQuery, stuck: StuckBefore): Promise<PendingTotal[]> {
  const parameters = new Parameters();
  const before = stuckUs(stuck, parameters);
  return all(
    `select ${NETWORK}, count(*) as pending, count(*) filter (where created_us <= ${before}) as stuck,
       min(created_us) as "oldestUs"
     from requests where ${conditionOf(during(query), parameters)} and ${PENDING_NOW}
     group by keeper_id, network_id`,
    parameters.values,
  );
}

/** How many rows were pending when the first bucket began, and came and went in each bucket. */
export type PendingFlow = {
  atStart: number;
  came: { bucket: number; rows: number }[];
  went: { bucket: number; rows: number }[];
};

/** A finished row was pending from its creation to its last update, as far as the service tells of one. */
const ENDED_US = 'greatest(created_us, updated_us)';
const WAS_PENDING = `((${PENDING_NOW}) or (${FINISHED} and updated_us is not null))`;

/** How the number of pending rows came about, since the time `sinceUs`; at the end it is the one of now. */
export async function pendingFlow(
  all: All,
  query: RowQuery,
  sinceUs: number,
  buckets: TimeBuckets,
): Promise<PendingFlow> {
  const ask = <Row extends Record<string, number>>(
    select: (parameters: Parameters) => { what: string; where: string; group?: string },
  ) => {
    const parameters = new Parameters();
    const { what, where, group = '' } = select(parameters);
    const condition = conditionOf(during(query), parameters);
    return all<Row>(
      `select ${what} from requests where ${condition} and ${where} ${group}`,
      parameters.values,
    );
  };
  type Bucket = { bucket: number; rows: number };
  const over = (column: string, where: string) =>
    ask<Bucket>((parameters) => ({
      what: `${bucketOf(column, buckets, parameters)} as bucket, count(*) as rows`,
      where: `${where} and ${column} >= ${parameters.add(sinceUs)}`,
      group: 'group by 1',
    }));
  const [start] = await ask<{ rows: number }>((parameters) => {
    const since = parameters.add(sinceUs);
    return {
      what: 'count(*) as rows',
      where: `created_us < ${since} and ${WAS_PENDING} and (state = 'pending' or ${ENDED_US} >= ${since})`,
    };
  });
  return {
    atStart: start?.rows ?? 0,
    came: await over('created_us', WAS_PENDING),
    went: await over(ENDED_US, `${FINISHED} and updated_us is not null`),
  };
}

/** Failed rows, and rows whose callback failed, of one group. */
export type FailureTotal = {
  /** As `failureGroup` names it. */
  group: string;
  rows: number;
  firstUs: number;
  lastUs: number;
  senders: number;
  /** A decoded text of one of them, whole. */
  example: string;
};

/** The most frequent groups; `groups` and `rows` count all that there are. */
export type FailureTotals = { found: FailureTotal[]; groups: number; rows: number };

/** Failures by group, the most frequent first. @param most groups that are told singly */
export async function failureTotals(all: All, query: RowQuery, most: number): Promise<FailureTotals> {
  const parameters = new Parameters();
  const found = await all<FailureTotal & { groups: number; sum: number }>(
    `select failure as "group", count(*) as rows, min(created_us) as "firstUs", max(created_us) as "lastUs",
       count(distinct sender) as senders, coalesce(min(failure_text), failure) as example,
       count(*) over () as groups, cast(sum(count(*)) over () as bigint) as sum
     from requests where ${conditionOf(query, parameters)} and failure is not null
     group by failure order by rows desc, failure limit ${most}`,
    parameters.values,
  );
  return {
    found: found.map(({ groups: _groups, sum: _sum, ...total }) => total),
    groups: found[0]?.groups ?? 0,
    rows: found[0]?.sum ?? 0,
  };
}

/** Rows of these groups by network. */
export function failuresByNetwork(
  all: All,
  query: RowQuery,
  groups: readonly string[],
): Promise<{ group: string; networkId: string; rows: number }[]> {
  const parameters = new Parameters();
  return all(
    `select failure as "group", network_id as "networkId", count(*) as rows
     from requests where ${conditionOf(query, parameters)} and failure in ${parameters.list(groups)}
     group by failure, network_id`,
    parameters.values,
  );
}

/** Rows of these groups by bucket. */
export function failuresOverTime(
  all: All,
  query: RowQuery,
  groups: readonly string[],
  buckets: TimeBuckets,
): Promise<{ group: string; bucket: number; rows: number }[]> {
  const parameters = new Parameters();
  const bucket = bucketOf('created_us', buckets, parameters);
  return all(
    `select failure as "group", ${bucket} as bucket, count(*) as rows
     from requests where ${conditionOf(query, parameters)} and failure in ${parameters.list(groups)}
     group by failure, 2`,
    parameters.values,
  );
}

/** Those of these groups that have rows in the time of the query. */
export async function knownFailures(
  all: All,
  query: RowQuery,
  groups: readonly string[],
): Promise<Set<string>> {
  const parameters = new Parameters();
  const known = await all<{ group: string }>(
    `select distinct failure as "group" from requests
     where ${conditionOf(query, parameters)} and failure in ${parameters.list(groups)}`,
    parameters.values,
  );
  return new Set(known.map(({ group }) => group));
}

/** Requests of one contract, on whatever networks. */
export type SenderTotal = Totals & {
  sender: string;
  networks: number;
  lastUs: number;
  /** Gas used of the gas limit, 1 is all of it; null where no row tells both. */
  p50GasShare: number | null;
  p95GasShare: number | null;
};

/** Lower-case addresses of the contracts with most requests and with most failures, the first first; `count` is of all. */
export type TopSenders = { byRequests: string[]; byFailures: string[]; count: number };

export async function topSenders(all: All, query: RowQuery, most: number): Promise<TopSenders> {
  const parameters = new Parameters();
  const condition = conditionOf(query, parameters);
  const limit = parameters.add(most);
  type Ranked = { sender: string; failures: number; byRequests: number; byFailures: number; senders: number };
  const ranked = await all<Ranked>(
    `with counted as (
       select sender, count(*) as requests, count(*) filter (where state in ('failed', 'callback-failed')) as failures
       from requests where ${condition} and sender is not null group by sender
     ), ranked as (
       select sender, failures, row_number() over (order by requests desc, sender) as "byRequests",
         row_number() over (order by failures desc, requests desc, sender) as "byFailures", count(*) over () as senders
       from counted
     )
     select * from ranked where "byRequests" <= ${limit} or ("byFailures" <= ${limit} and failures > 0)`,
    parameters.values,
  );
  const first = (rank: 'byRequests' | 'byFailures', among: readonly Ranked[]) =>
    among
      .filter((one) => one[rank] <= most)
      .sort((a, b) => a[rank] - b[rank])
      .map(({ sender }) => sender);
  return {
    byRequests: first('byRequests', ranked),
    byFailures: first(
      'byFailures',
      ranked.filter(({ failures }) => failures > 0),
    ),
    count: ranked[0]?.senders ?? 0,
  };
}

/** The figures of these contracts, in no order. */
export function totalsOfSenders(
  all: All,
  query: RowQuery,
  senders: readonly string[],
): Promise<SenderTotal[]> {
  const parameters = new Parameters();
  return all(
    `select sender, ${TOTALS}, count(distinct network_id) as networks, max(created_us) as "lastUs",
       ${percentile(0.5, 'gas_share')} as "p50GasShare", ${percentile(0.95, 'gas_share')} as "p95GasShare"
     from requests where ${conditionOf(query, parameters)} and sender in ${parameters.list(senders)}
     group by sender`,
    parameters.values,
  );
}

const HOUR_US = 3_600_000_000;
/** Hour 0 is the last one before now; hours 24, 48, … 168 are the same hour of the seven days before. */
const WEEK_HOURS = 7 * 24;
/** Each hour of the last day has seven days before it. */
const HOURS_BACK = 8 * 24 - 1;

/** Rows of a network created in the hour that ended `hour` hours ago. */
export type HourTotal = NetworkKey & {
  hour: number;
  requests: number;
  finished: number;
  failed: number;
  callbackFailed: number;
};

/** The first and the last request of a network, of all time. */
export type NetworkPast = NetworkKey & { firstUs: number; lastUs: number };

/** Times to callback of a network: of the last hour, at this hour of the seven days before, and in all of these days. */
export type NetworkLatency = NetworkKey & {
  nowCalled: number;
  nowP95Us: number | null;
  hourCalled: number;
  hourP95Us: number | null;
  weekCalled: number;
  weekP95Us: number | null;
};

/** What is usual of each network, by the seven days before the hour that ends at `nowUs`; the query's time is not used. */
export async function networkUsual(
  all: All,
  query: RowQuery,
  nowUs: number,
): Promise<{ hours: HourTotal[]; latency: NetworkLatency[]; past: NetworkPast[] }> {
  const ask = <Row extends SqlRow>(
    hoursBack: number,
    select: (hour: string, condition: string) => string,
  ): Promise<Row[]> => {
    const parameters = new Parameters();
    const lately = during(query, { fromUs: nowUs - (hoursBack + 1) * HOUR_US + 1 });
    const hour = `cast(greatest(0, floor((${parameters.add(nowUs)} - created_us) / ${parameters.add(HOUR_US)})) as integer)`;
    return all<Row>(select(hour, conditionOf(lately, parameters)), parameters.values);
  };
  const calledWhen = (when: string) => `case when ${when} then called_us end`;
  const isNow = calledWhen('hour = 0');
  const isHour = calledWhen('hour > 0 and mod(hour, 24) = 0');
  const isWeek = calledWhen('hour > 0');
  const p95 = (of: string) => percentile(0.95, of);
  const parameters = new Parameters();
  return {
    hours: await ask<HourTotal>(
      HOURS_BACK,
      (hour, condition) => `select ${NETWORK}, ${hour} as hour, count(*) as requests,
         count(*) filter (where ${FINISHED}) as finished, ${countOf('failed')} as failed,
         ${countOf('callback-failed')} as "callbackFailed"
       from requests where ${condition} group by keeper_id, network_id, 3`,
    ),
    latency: await ask<NetworkLatency>(
      WEEK_HOURS,
      (hour, condition) => `with lately as (
         select keeper_id, network_id, ${hour} as hour, ${CALLED_US} as called_us from requests where ${condition}
       )
       select ${NETWORK}, count(${isNow}) as "nowCalled", ${p95(isNow)} as "nowP95Us",
         count(${isHour}) as "hourCalled", ${p95(isHour)} as "hourP95Us",
         count(${isWeek}) as "weekCalled", ${p95(isWeek)} as "weekP95Us"
       from lately group by keeper_id, network_id`,
    ),
    past: await all<NetworkPast>(
      `select ${NETWORK}, min(created_us) as "firstUs", max(created_us) as "lastUs"
       from requests where ${conditionOf(during(query), parameters)} group by keeper_id, network_id`,
      parameters.values,
    ),
  };
}

/** Finished rows of a network by what became of them, with how many were called within each of the given times. */
export type FinishedTotal = NetworkKey & {
  state: string;
  rows: number;
  /** Those that have a time to callback, and all of these together. */
  called: number;
  seconds: number;
  within: number[];
};

/** Rows that finished at that moment or later, for counters. @param edgesS times to callback in seconds, rising */
export async function finishedSince(
  all: All,
  keeperIds: readonly number[],
  sinceUs: number,
  edgesS: readonly number[],
): Promise<FinishedTotal[]> {
  const parameters = new Parameters();
  const within = edgesS.map(
    (edge, at) =>
      `count(*) filter (where ${CALLED_US} <= ${parameters.add(Math.round(edge * 1_000_000))}) as "within${at}"`,
  );
  const found = await all<NetworkKey & Record<string, string | number>>(
    `select ${NETWORK}, state, count(*) as rows, count(${CALLED_US}) as called,
       coalesce(sum(cast(${CALLED_US} as double precision)), 0) / 1000000 as seconds,
       ${within.join(', ')}
     from requests
     where keeper_id in ${parameters.list(keeperIds)} and ${FINISHED} and ${ENDED_US} >= ${parameters.add(sinceUs)}
     group by keeper_id, network_id, state`,
    parameters.values,
  );
  return found.map(({ keeperId, networkId, state, rows, called, seconds, ...counts }) => ({
    ...{ keeperId, networkId, state: String(state) },
    ...{ rows: Number(rows), called: Number(called), seconds: Number(seconds) },
    within: edgesS.map((_, at) => Number(counts[`within${at}`])),
  }));
}
