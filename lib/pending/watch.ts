'use client';
import {
  type QueryClient,
  type QueryFunctionContext,
  QueryObserver,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isRetryable } from '@/lib/core/explain-failure';
import { AnswerFailed, fetchGatewayText } from '@/lib/core/gateway';
import { type Failure, type Outcome, ok } from '@/lib/core/outcome';
import { stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { locatorOfKey, requestApiPath } from '@/lib/requests/request-address';
import { readRequestAnswer } from '@/lib/requests/requests-response';
import { RETRIES } from '@/lib/requests/use-followed';
import {
  chooseNotifications,
  isWatched,
  MAX_WATCHED,
  notifyUnseen,
  type Watched,
  type WatchList,
  watchList,
  withWatched,
} from '@/lib/watches/watch-list';
import { readTriage, triageAddress } from './pending-response';

export type { Watched } from '@/lib/watches/watch-list';

/** States of a watched incident. A watched request has its own state, or `GONE` if the log no longer has it. */
export const OPEN = 'open';
export const OVER = 'over';
export const GONE = 'not in the log';

const STATES: Record<string, string> = {
  pending: 'Pending',
  completed: 'Completed',
  'callback-failed': 'Callback reverted',
  failed: 'Failed',
  [OPEN]: 'Open',
  [OVER]: 'Over',
};

/** `pending` → `Pending`; unknown states stay as they are. */
export function stateText(state: string): string {
  return Object.hasOwn(STATES, state) ? (STATES[state] ?? state) : clipped(state, 60);
}

/** `Request 1234` or `Incident`, without the network. */
export function subjectText({ kind, id }: Pick<Watched, 'kind' | 'id'>): string {
  const sequence = kind === 'request' ? locatorOfKey(id)?.sequence : undefined;
  return sequence === undefined ? 'Incident' : `Request ${clipped(sequence, 40)}`;
}

type Observation = { id: string; state: string; size?: number };

type WatchChange = { item: Watched; from: string; to: string };

/** Whether a change is reported. Incidents grow and shrink all the time, so only a change by half counts. */
function isNotable(before: Watched, { state, size }: Observation): boolean {
  if (state !== before.state) return true;
  const { notedSize } = before;
  if (size === undefined || notedSize === undefined) return false;
  return Math.abs(size - notedSize) >= 3 && (size >= notedSize * 1.5 || size * 1.5 <= notedSize);
}

/** Applies observations to the list and returns the transitions. */
export function withObservations(
  list: WatchList,
  observations: readonly Observation[],
  nowMs: number,
): { list: WatchList; changes: WatchChange[] } {
  const changes: WatchChange[] = [];
  const words = (state: string, size: number | undefined) =>
    state === OPEN && size !== undefined ? `${size} stuck` : state;
  const watched = list.watched.map((before): Watched => {
    const now = observations.find(({ id }) => id === before.id);
    if (now === undefined) return before;
    const { state, size } = now;
    if (!isNotable(before, now)) return { ...before, size, notedSize: before.notedSize ?? size };
    const from = words(before.state, before.notedSize);
    const was = { state: from, atMs: nowMs };
    const item = { ...before, state: clipped(state, 50), size, notedSize: size, was };
    changes.push({ item, from, to: words(state, size) });
    return item;
  });
  return { list: { ...list, watched }, changes };
}

/** Whether an item may still change. */
const isOpen = ({ state }: Watched) => state !== 'completed' && state !== 'callback-failed';

/** Interval of rounds while the page is visible. */
const ROUND_MS = 5_000;
/** Interval of rounds while the page is hidden. */
const HIDDEN_ROUND_MS = 20_000;
/** Most requests of a round; the others follow in later rounds. */
const MAX_REQUESTS_PER_ROUND = 10;

type FetchText = (path: string) => Promise<Outcome<string>>;

/** Result of a round: observations, and permanent failures by item. */
type Round = { turn: number; observations: Observation[]; refused: ReadonlyMap<string, Failure> };

/** Checks incidents, and requests in turn. @throws AnswerFailed for a temporary failure */
export async function watchRound(
  list: readonly Watched[],
  turn: number,
  fetchText: FetchText,
): Promise<Round> {
  const open = list.filter(isOpen);
  const requests = open.filter(({ kind }) => kind === 'request');
  const from = (turn * MAX_REQUESTS_PER_ROUND) % Math.max(1, requests.length);
  const due = [...requests, ...requests].slice(
    from,
    from + Math.min(MAX_REQUESTS_PER_ROUND, requests.length),
  );
  const observations: Observation[] = [];
  const refused = new Map<string, Failure>();
  for (const about of [open.filter(({ kind }) => kind === 'incident'), ...due.map((item) => [item])]) {
    const [first] = about;
    if (first === undefined) continue;
    const seen = await (first.kind === 'incident'
      ? observeIncidents(about, fetchText)
      : observeRequest(first, fetchText));
    if (seen.ok) observations.push(...seen.value);
    else if (isRetryable(seen.failure)) throw new AnswerFailed(seen.failure);
    else for (const { id } of about) refused.set(id, seen.failure);
  }
  return { turn, observations, refused };
}

async function observeRequest({ id }: Watched, fetchText: FetchText): Promise<Outcome<Observation[]>> {
  const locator = locatorOfKey(id);
  if (locator === undefined) return ok([]);
  const text = await fetchText(requestApiPath(locator));
  const response = text.ok ? readRequestAnswer(text.value) : text;
  if (!response.ok) return response;
  const row = response.value.rows.find(({ key }) => key === id);
  if (row !== undefined) return ok([{ id, state: stateWord(row.state) }]);
  // Outside of the index, and with a failed call to the service, the request may still exist.
  const isCertain = response.value.queried.every(({ failure }) => failure === undefined);
  return ok(isCertain ? [{ id, state: GONE }] : []);
}

/** Checks incidents. A missing one is over only if the answer is complete. */
async function observeIncidents(
  about: readonly Watched[],
  fetchText: FetchText,
): Promise<Outcome<Observation[]>> {
  const text = await fetchText(triageAddress());
  const response = text.ok ? readTriage(text.value) : text;
  if (!response.ok) return response;
  const { state, incidents, counts } = response.value;
  const isWhole = state === 'complete' && incidents.length >= counts.incidents;
  return ok(
    about.flatMap(({ id }): Observation[] => {
      const incident = incidents.find((incident) => incident.id === id);
      if (incident !== undefined) return [{ id, state: OPEN, size: incident.size }];
      return isWhole ? [{ id, state: OVER, size: 0 }] : [];
    }),
  );
}

/** Saves observations in this browser's list and notifies about changes. */
function storeObservations(observations: readonly Observation[]): void {
  let changes: readonly WatchChange[] = [];
  watchList.change((list) => {
    const seen = withObservations(list, observations, Date.now());
    changes = seen.changes;
    return JSON.stringify(seen.list.watched) === JSON.stringify(list.watched) ? list : seen.list;
  });
  if (changes.length > 0) notifyUnseen(changes.length, noticesOf(changes));
}

/** One notification for all changes, since a browser that slept for a night may have a hundred. */
function noticesOf([first, ...others]: readonly WatchChange[]) {
  if (first === undefined) return [];
  const { item, from, to } = first;
  const title = `${subjectText(item)}: ${stateText(from).toLowerCase()} → ${stateText(to).toLowerCase()}`;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const body = `Network ${item.networkId}, keeper ${clipped(item.keeper, 60)}${more}`;
  return [{ title, body, tag: 'keeperscope-watch' }];
}

const ACTIONS = {
  unwatch: (id: string): void =>
    void watchList.change((list) => ({ ...list, watched: list.watched.filter((item) => item.id !== id) })),
  /** Must be called from a click, since the browser requests permission. */
  notify: () => chooseNotifications('yes'),
  dontNotify: (): void => void chooseNotifications('no'),
} as const;

const isWatching = () => watchList.read().watched.some(isOpen);

const ROUNDS = {
  queryKey: ['watched'],
  queryFn: async ({ client, queryKey, signal }: QueryFunctionContext): Promise<Round> => {
    const turn = (client.getQueryData<Round>(queryKey)?.turn ?? -1) + 1;
    const round = await watchRound(watchList.read().watched, turn, (path) => fetchGatewayText(path, signal));
    storeObservations(round.observations);
    return round;
  },
  ...RETRIES,
};

let following: QueryObserver<Round> | undefined;

/** Runs rounds while items may change, on every page, from the first use until the tab is closed. */
function follow(client: QueryClient): void {
  if (following !== undefined) return;
  const observer = new QueryObserver<Round>(client, {
    ...ROUNDS,
    enabled: isWatching,
    staleTime: ROUND_MS,
    refetchInterval: () => (document.hidden ? HIDDEN_ROUND_MS : ROUND_MS),
    refetchIntervalInBackground: true,
  });
  following = observer;
  observer.subscribe(() => undefined);
  // New items, including those of other tabs, are checked at once.
  watchList.subscribe(() => {
    if (isWatching()) void observer.refetch({ cancelRefetch: false });
  });
}

export function useWatch() {
  const client = useQueryClient();
  useEffect(() => follow(client), [client]);
  const watches = useSyncExternalStore(watchList.subscribe, watchList.read, watchList.none);
  const { data, dataUpdatedAt, error, failureReason, refetch } = useQuery<Round>({
    ...ROUNDS,
    enabled: false,
  });
  const reason = failureReason ?? error;
  return {
    watches,
    isWatching: watches.watched.some(isOpen),
    checkedAtMs: data && dataUpdatedAt,
    refused: data?.refused,
    trouble: reason instanceof AnswerFailed ? reason.failure : undefined,
    checkNow: (): void => void refetch(),
    watch: (item: Watched): void => void watchList.change((list) => withWatched(list, item)),
    ...ACTIONS,
  };
}

/** Whether an item is watched (`full`: the list is full), and a function to toggle it. */
export function useWatchOf(item: Omit<Watched, 'sinceMs'>) {
  const { watches, watch, unwatch } = useWatch();
  // Rows with the same key on a page (`#2`) are one request.
  const id = item.kind === 'request' ? item.id.replace(/#\d+$/, '') : item.id;
  const isOne = isWatched(watches, id);
  const watched: 'yes' | 'no' | 'full' = isOne
    ? 'yes'
    : watches.watched.length >= MAX_WATCHED
      ? 'full'
      : 'no';
  return { watched, onToggle: () => (isOne ? unwatch(id) : watch({ ...item, id, sinceMs: Date.now() })) };
}
