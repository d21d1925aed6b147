import * as z from 'zod/mini';
import { parseFeedId } from '@/lib/core/feed';
import { formatScaled, parseDecimal } from '@/lib/core/numbers';
import { tryParseJson } from '@/lib/core/text';
import type { AlertCondition, FeedAlertRule } from '@/lib/feeds/feed-alerts';
import { locatorOfKey } from '@/lib/requests/request-address';
import { markPage } from './page-title';
import { type StorageFormat, StoredValue } from './stored-value';

/** An alert with the symbol of its feed, which may be on no page. */
export type FeedAlert = FeedAlertRule & { readonly symbol: string };

const shortText = (maxLength: number) => z.string().check(z.minLength(1), z.maxLength(maxLength));
const count = z.int().check(z.nonnegative());
/** Unix ms, at most the last moment that a JavaScript date can represent. */
const moment = count.check(z.maximum(8.64e15));
const MAX_WORD_LENGTH = 60;
const word = shortText(MAX_WORD_LENGTH);
const optionalOrInvalid = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

/** Watched cases by the key of a request's row, or the id of an incident. */
const watched = z
  .object({
    kind: z.enum(['request', 'incident']),
    id: shortText(300),
    keeper: word,
    networkId: z.string().check(z.regex(/^\d{1,20}$/)),
    sinceMs: moment,
    state: word,
    /** Pending requests of an incident now, and when it was last reported. */
    size: optionalOrInvalid(count),
    notedSize: optionalOrInvalid(count),
    /** Previous state, and when the item left it (unix ms). */
    was: optionalOrInvalid(z.object({ state: word, atMs: moment })),
  })
  .check(
    z.refine(({ kind, id, keeper, networkId }) => {
      const key = kind === 'request' ? locatorOfKey(id) : { keeper, networkId };
      return key?.keeper === keeper && key.networkId === networkId;
    }),
  );

export type Watched = z.infer<typeof watched>;

/** The figure is text, so that it never becomes a float. */
const storedAlert = z.object({
  id: shortText(40),
  feed: z.string(),
  symbol: optionalOrInvalid(z.string()),
  k: z.string(),
  v: optionalOrInvalid(z.string()),
  w: optionalOrInvalid(z.number()),
});

const yesNo = z.catch(z.enum(['yes', 'no']), 'no');
const entries = z.catch(z.array(z.unknown()), []);
const storedList = z.catch(z.object({ alerts: entries, watched: entries, sound: yesNo, notify: yesNo }), {
  alerts: [],
  watched: [],
  sound: 'no',
  notify: 'no',
});

/** Price alerts, requests and incidents, and how the user is notified. */
export type WatchList = {
  readonly alerts: readonly FeedAlert[];
  readonly watched: readonly Watched[];
  readonly sound: 'yes' | 'no';
  readonly notify: 'yes' | 'no';
};

export const MAX_ALERTS = 50;
export const MAX_WATCHED = 50;
/** Seconds. They reach as far back as prices are kept. */
export const CHANGE_WINDOWS_S: readonly number[] = [60, 300, 900, 1800];

const MAX_SYMBOL_LENGTH = 100;

/** Unchanged if the alert exists already, or if the list is full. */
export function withAlert(list: WatchList, alert: FeedAlert): WatchList {
  const key = (alert: FeedAlert) => `${alert.feedId} ${JSON.stringify(conditionJson(alert.condition))}`;
  const isThere = list.alerts.some((existing) => key(existing) === key(alert));
  return isThere || list.alerts.length >= MAX_ALERTS ? list : { ...list, alerts: [...list.alerts, alert] };
}

/** Put first. Unchanged if the entry exists already, or if the list is full. */
export function withWatched(list: WatchList, item: Watched): WatchList {
  if (isWatched(list, item.id) || list.watched.length >= MAX_WATCHED) return list;
  const state = item.state.slice(0, MAX_WORD_LENGTH);
  return { ...list, watched: [{ ...item, state }, ...list.watched] };
}

export function isWatched({ watched }: Pick<WatchList, 'watched'>, id: string): boolean {
  return watched.some((item) => item.id === id);
}

function conditionJson(condition: AlertCondition): { k: string; v?: string; w?: number } {
  const { kind: k } = condition;
  if (k === 'stale') return { k };
  const value = k === 'change' ? condition.percent : k === 'wide' ? condition.bps : condition.price;
  const v = formatScaled(value, { decimals: 'trimmed' });
  return k === 'change' ? { k, v, w: condition.windowS } : { k, v };
}

function storedCondition(k: string, v: string, w: number): AlertCondition | undefined {
  if (k === 'stale') return { kind: k };
  const kind = (['above', 'below', 'change', 'wide'] as const).find((kind) => kind === k);
  const read = kind && conditionFromText(kind, v, w);
  return read && 'condition' in read ? read.condition : undefined;
}

function alertOf({ id, symbol, feed, k, v = '', w = 0 }: z.infer<typeof storedAlert>): FeedAlert[] {
  const feedId = parseFeedId(feed);
  const condition = storedCondition(k, v, w);
  if (feedId === undefined || condition === undefined) return [];
  return [{ id, feedId, symbol: (symbol ?? feedId).slice(0, MAX_SYMBOL_LENGTH), condition }];
}

/** @returns the problem with the text if it is no condition @param windowS for `change` only */
export function conditionFromText(
  kind: Exclude<AlertCondition['kind'], 'stale'>,
  text: string,
  windowS: number,
): { readonly condition: AlertCondition } | { readonly problem: string } {
  const value = parseDecimal(text);
  if (value === undefined) return { problem: 'Type a number, for example 65000 or 0.005.' };
  if (kind === 'above' || kind === 'below') return { condition: { kind, price: value } };
  if (value.mantissa <= 0n) return { problem: 'Type a number above zero.' };
  if (kind === 'wide') return { condition: { kind, bps: value } };
  return CHANGE_WINDOWS_S.includes(windowS)
    ? { condition: { kind, percent: value, windowS } }
    : { problem: 'Choose one of the windows.' };
}

function readValid<T extends z.ZodMiniType>(schema: T, values: readonly unknown[]): z.output<T>[] {
  return values.flatMap((value) => {
    const read = z.safeParse(schema, value);
    return read.success ? [read.data] : [];
  });
}

function readList(text: string | null, older: (key: string) => string | null): WatchList {
  const now = tryParseJson(text);
  const isThere = typeof now === 'object' && now !== null && !Array.isArray(now);
  const alerts = storedList.parse(isThere ? now : tryParseJson(older('ks-alerts')));
  const watch = storedList.parse(isThere ? now : tryParseJson(older('ks-watch')));
  const notify = [alerts.notify, watch.notify].includes('yes') ? 'yes' : 'no';
  let list: WatchList = { alerts: [], watched: [], sound: alerts.sound, notify };
  for (const alert of readValid(storedAlert, alerts.alerts).flatMap(alertOf)) {
    if (!list.alerts.some(({ id }) => id === alert.id)) list = withAlert(list, alert);
  }
  for (const item of readValid(watched, watch.watched).toReversed()) list = withWatched(list, item);
  return list;
}

/** Unreadable entries are left out. Earlier versions stored `ks-alerts` and `ks-watch` separately. */
export const WATCH_LIST_FORM: StorageFormat<WatchList> = {
  key: 'ks-watchlist',
  read: readList,
  write: ({ alerts, watched, sound, notify }) => {
    const stored = alerts.map(({ id, feedId: feed, symbol, condition }) => {
      return { id, feed, symbol, ...conditionJson(condition) };
    });
    return JSON.stringify({ alerts: stored, watched, sound, notify });
  },
};

export const watchList = new StoredValue(WATCH_LIST_FORM);

/** Requests permission, so it must be called in response to a click. */
export async function chooseNotifications(choice: 'yes' | 'no'): Promise<'yes' | 'no' | 'refused'> {
  const answer = choice === 'yes' ? await requestNotifications() : 'no';
  watchList.change((list) => ({ ...list, notify: answer === 'yes' ? 'yes' : 'no' }));
  return answer;
}

async function requestNotifications(): Promise<'yes' | 'refused'> {
  // Plain HTTP from another machine, and some phones, have no notifications.
  if (typeof Notification === 'undefined') return 'refused';
  try {
    return (await Notification.requestPermission()) === 'granted' ? 'yes' : 'refused';
  } catch {
    return 'refused';
  }
}

function isTabActive(): boolean {
  return !document.hidden && document.hasFocus();
}

let hasListeners = false;

/** Marks the title while the page is hidden, and shows notifications once for all tabs. */
export function notifyUnseen(
  count: number,
  notices: readonly { readonly title: string; readonly body: string; readonly tag: string }[],
): void {
  if (isTabActive()) return;
  if (count > 0) markPage({ hasUnseen: true });
  if (!hasListeners)
    for (const type of ['visibilitychange', 'focus']) window.addEventListener(type, onVisibilityChange, true);
  hasListeners = true;
  const isAllowed = typeof Notification !== 'undefined' && Notification.permission === 'granted';
  if (watchList.read().notify !== 'yes' || !isAllowed) return;
  for (const { title, body, tag } of notices.slice(0, 3)) {
    try {
      const notice = new Notification(title, { body, tag });
      notice.onclick = () => window.focus();
    } catch {
      // Phones allow notifications only from service workers.
    }
  }
}

function onVisibilityChange(): void {
  if (isTabActive()) markPage({ hasUnseen: false });
}
