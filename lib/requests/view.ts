import { recogniseQuery } from '@/lib/core/log-query';
import { isStateWord, type StateWord, WIRE_STATE } from '@/lib/core/request-record';
import type { UrlProblem } from '@/lib/core/text';
import { formatIsoMillis, isoTimeInUtc, parseIsoTime, unixMillis } from '@/lib/core/time';
import { appendFilters, cellsOf, columnFiltersOf, withOldFilters } from './view-filters';
import {
  appendColumns,
  columnsOf,
  DEFAULT_RANGE,
  DEFAULT_SIZE,
  DEFAULT_SORT,
  expectedOf,
  isoOf,
  liveOf,
  networkOf,
  pageOf,
  type Report,
  rangeMs,
  several,
  single,
  sizeOf,
  sortOf,
  stateOf,
  timeOf,
  zoneOf,
} from './view-params';
import type { RequestsView, TimeFilter } from './view-shape';

/** Where the log table lives. */
export const REQUESTS_PATH = '/requests';
export const REQUESTS_PARAMS =
  'network state keeper q range from to page size sort sender provider failure duration gas_limit gas_used block not only gas asof open live cols density zone expected'.split(
    ' ',
  );

/** The table as it stands without any parameter: the last 24 hours, newest first. */
export function defaultRequestsView(): RequestsView {
  return {
    networks: [],
    states: [],
    keepers: [],
    q: '',
    time: { kind: 'last', range: DEFAULT_RANGE },
    page: 1,
    size: DEFAULT_SIZE,
    sort: DEFAULT_SORT,
    senders: [],
    providers: [],
    failures: [],
    not: [],
  };
}

/**
 * Reads the parameters of `/requests`. An empty value says nothing (a form sends those); everything else that cannot be
 * read, is given twice, or has no meaning here is reported and left out of the view.
 */
export function parseRequestsUrl(params: URLSearchParams): { view: RequestsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report: Report = (param, value, message, used) =>
    problems.push({ param, value, message, ...(used ? { used } : {}) });
  const read: RequestsView = {
    networks: several(params, 'network', networkOf, report),
    states: several(params, 'state', stateOf, report),
    keepers: several(params, 'keeper', (value) => ({ value }), report),
    q: single(params, 'q', report)?.trim() ?? '',
    time: timeOf(params, report),
    page: pageOf(single(params, 'page', report), report),
    size: sizeOf(single(params, 'size', report), report),
    sort: sortOf(single(params, 'sort', report), report),
    ...columnFiltersOf(params, report),
    not: cellsOf(params, 'not', report),
    ...present({
      asof: isoOf(params, 'asof', report),
      open: single(params, 'open', report),
      live: liveOf(single(params, 'live', report), report),
      columns: columnsOf(params, report),
      zone: zoneOf(single(params, 'zone', report), report),
      expected: expectedOf(single(params, 'expected', report), report),
    }),
  };
  const view = withOldFilters(read, params, report);
  for (const name of new Set(params.keys())) {
    if (!REQUESTS_PARAMS.includes(name))
      report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  return { view, problems };
}

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without the members that are undefined: they are absent, also for who counts or compares them. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** The address of a view, defaults left out: `/requests` or `/requests?…`. `parseRequestsUrl` reads it back as it was. */
export function formatRequestsUrl(view: RequestsView): '/requests' | `/requests?${string}` {
  const params = new URLSearchParams();
  for (const network of view.networks) params.append('network', network);
  for (const state of view.states) params.append('state', state);
  for (const keeper of view.keepers) params.append('keeper', keeper);
  if (view.q !== '') params.append('q', view.q);
  appendTime(params, view.time);
  if (view.page !== 1) params.append('page', String(view.page));
  if (view.size !== DEFAULT_SIZE) params.append('size', String(view.size));
  if (view.sort !== DEFAULT_SORT) params.append('sort', view.sort);
  appendFilters(params, view);
  if (view.asof !== undefined) params.append('asof', view.asof);
  if (view.open !== undefined) params.append('open', view.open);
  if (view.live !== undefined) params.append('live', String(view.live));
  appendColumns(params, view.columns);
  if (view.zone !== undefined) params.append('zone', view.zone);
  if (view.expected !== undefined) params.append('expected', view.expected);
  const text = params.toString();
  return text === '' ? REQUESTS_PATH : `${REQUESTS_PATH}?${text}`;
}

function appendTime(params: URLSearchParams, time: TimeFilter): void {
  if (time.kind === 'all') params.append('range', 'all');
  if (time.kind === 'last' && time.range !== DEFAULT_RANGE) params.append('range', time.range);
  if (time.kind !== 'between') return;
  if (time.from !== undefined) params.append('from', time.from);
  if (time.to !== undefined) params.append('to', time.to);
}

/**
 * The view after a filter was changed: the first page of the newest rows, with no row opened, since page, snapshot, row
 * and the sender's total belonged to another list; of these, what `change` names stays.
 */
export function withFilter(view: RequestsView, change: Partial<Omit<RequestsView, 'page'>>): RequestsView {
  const { asof: _asof, open: _open, expected: _expected, ...kept } = view;
  return { ...kept, ...change, page: 1 };
}

/** The view on another page. Leaving the first page pins the list to `nowMs`, so that new rows do not shift it. */
export function withPage(view: RequestsView, page: number, nowMs: number): RequestsView {
  const { open: _open, ...kept } = view;
  const pinned = kept.asof ?? (page > 1 ? formatIsoMillis(unixMillis(nowMs)) : undefined);
  return { ...kept, page, ...(pinned === undefined ? {} : { asof: pinned }) };
}

/** The moment that ranges count from: `asof` when the view is pinned, else now. Unix milliseconds. */
export function viewNowMs(view: RequestsView, nowMs: number): number {
  return (view.asof === undefined ? undefined : parseIsoTime(view.asof)) ?? nowMs;
}

/**
 * The query that our gateway and the service understand, for the view seen at `nowMs` (unix milliseconds). `keeper` is
 * the gateway's; the rest are the service's parameters. Of several networks, states or keepers the first is asked for.
 */
export function logsQueryOf(view: RequestsView, nowMs: number): URLSearchParams {
  const query = new URLSearchParams();
  const [network, state, keeper] = [view.networks[0], view.states[0], view.keepers[0]];
  if (network !== undefined) query.set('network_id', network);
  if (state !== undefined) query.set('state', wireStateOf(state));
  const search = recogniseQuery(view.q);
  // What is not recognised goes out as typed: the service's refusal is shown, rather than a list that ignores it.
  if (search.kind !== 'empty') query.set('query', search.kind === 'none' ? view.q : search.canonical);
  const { min, max } = timeBounds(view, nowMs);
  if (min !== undefined) query.set('min_timestamp', min);
  if (max !== undefined) query.set('max_timestamp', max);
  query.set('limit', String(view.size));
  query.set('offset', String((view.page - 1) * view.size));
  if (keeper !== undefined) query.set('keeper', keeper);
  return query;
}

function wireStateOf(state: string | StateWord): string {
  return isStateWord(state) ? WIRE_STATE[state] : state;
}

function timeBounds(
  view: RequestsView,
  nowMs: number,
): { min?: string | undefined; max?: string | undefined } {
  const { time } = view;
  const pinned = view.asof === undefined ? undefined : isoTimeInUtc(view.asof);
  if (time.kind === 'all') return { max: pinned };
  if (time.kind === 'last') {
    // Whole seconds, rounded down: tabs that ask within the same second send the same query and share its answer.
    const now = Math.floor(viewNowMs(view, nowMs) / 1000) * 1000;
    const start = now - (rangeMs(time.range) ?? 0);
    return { min: formatIsoMillis(unixMillis(start)), max: pinned };
  }
  const min = time.from === undefined ? undefined : isoTimeInUtc(time.from);
  const end = time.to === undefined ? undefined : isoTimeInUtc(time.to);
  return { min, max: earlier(end, pinned) };
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return (parseIsoTime(a) ?? 0) <= (parseIsoTime(b) ?? 0) ? a : b;
}
