'use client';
import {
  type QueryClient,
  type QueryFunctionContext,
  QueryObserver,
  replaceEqualDeep,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { AnswerFailed, fetchGatewayText } from '@/lib/core/gateway';
import { clipped } from '@/lib/core/text';
import { RETRIES } from '@/lib/requests/client/use-followed';
import {
  chooseNotifications,
  isWatched,
  MAX_WATCHED,
  notifyUnseen,
  type Watched,
  watchList,
  withWatched,
} from '@/lib/watches/client/watch-list';
import {
  isOpen,
  type Observation,
  type Round,
  type WatchChange,
  watchRound,
  withObservations,
} from './watch-round';
import { stateText, subjectText } from './watched-states';

const ROUND_MS = 5_000;
const HIDDEN_ROUND_MS = 20_000;

function storeObservations(observations: readonly Observation[]): void {
  let changes: readonly WatchChange[] = [];
  watchList.change((list) => {
    const seen = withObservations(list, observations, Date.now());
    changes = seen.changes;
    const isEqual = replaceEqualDeep(list.watched, seen.list.watched) === list.watched;
    return isEqual ? list : seen.list;
  });
  if (changes.length > 0) notifyUnseen(changes.length, noticesOf(changes));
}

/** A browser that slept for a night may have a hundred changes. */
function noticesOf([first, ...others]: readonly WatchChange[]) {
  if (first === undefined) return [];
  const { item, from, to } = first;
  const title = `${subjectText(item)}: ${stateText(from).toLowerCase()} → ${stateText(to).toLowerCase()}`;
  const othersText = others.length > 0 ? `, and ${others.length} more` : '';
  const body = `Network ${item.networkId}, keeper ${clipped(item.keeper, 60)}${othersText}`;
  return [{ title, body, tag: 'keeperscope-watch' }];
}

const ACTIONS = {
  unwatch: (id: string): void =>
    void watchList.change((list) => ({ ...list, watched: list.watched.filter((item) => item.id !== id) })),
  /** Must be called from a click, because the browser requests permission. */
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

/** Runs on every page until the tab is closed. */
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
  // New items, also of other tabs, are checked at once.
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

/** `full`: the list is full. */
export function useWatchOf(item: Omit<Watched, 'sinceMs'>) {
  const { watches, watch, unwatch } = useWatch();
  // Rows with the same key on a page (`#2`) are one request.
  const id = item.kind === 'request' ? item.id.replace(/#\d+$/, '') : item.id;
  const isInList = isWatched(watches, id);
  const watched: 'yes' | 'no' | 'full' = isInList
    ? 'yes'
    : watches.watched.length >= MAX_WATCHED
      ? 'full'
      : 'no';
  return { watched, onToggle: () => (isInList ? unwatch(id) : watch({ ...item, id, sinceMs: Date.now() })) };
}
