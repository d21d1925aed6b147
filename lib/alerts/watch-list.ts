import { parseFeedId } from '@/lib/core/feed';
import { formatScaled, parseDecimal, type ScaledInteger } from '@/lib/core/numbers';
import { type Fields, type KeptForm, KeptValue, objectsOf, parsedJson } from '@/lib/feeds/client/kept-value';
import type { AlertCondition, AlertRule } from '@/lib/feeds/feed-alerts';
import { requestOfKey } from '@/lib/requests/request-address';

/** An alert as it is kept: with the name of its feed, since the feed may be on no page. */
export type FeedAlert = AlertRule & { readonly symbol: string };

/** What is watched: a request by the key of its row, or an incident by its id. */
export type Watched = {
  readonly kind: 'request' | 'incident';
  readonly id: string;
  readonly keeper: string;
  readonly networkId: string;
  readonly sinceMs: number;
  /** Where it stood when it was looked at last. */
  readonly state: string;
  /** Of an incident: how many are pending, and how many when that was last worth telling. */
  readonly size?: number;
  readonly notedSize?: number;
  /** From which state it went last, and when (unix ms). */
  readonly was?: { readonly state: string; readonly atMs: number };
};

/** All that a browser wants to be told of: price alerts, and requests and incidents; and how it is told. */
export type WatchList = {
  readonly alerts: readonly FeedAlert[];
  readonly watched: readonly Watched[];
  readonly sound: 'yes' | 'no';
  readonly notify: 'yes' | 'no';
};

/** Nobody follows more. */
export const MOST_ALERTS = 50;
export const MOST_WATCHED = 50;
/** Windows that a change can be measured in, seconds: as far back as prices are kept. */
export const CHANGE_WINDOWS_S: readonly number[] = [60, 300, 900, 1800];

const LONGEST_SYMBOL = 100;
const LONGEST_ALERT_ID = 40;
const LONGEST_ID = 300;
const LONGEST_WORD = 60;
/** The last moment that a calendar of browsers has. */
const LAST_MS = 8.64e15;

/** The list with one alert more; the same list where it has that alert already, or is full. */
export function withAlert(list: WatchList, alert: FeedAlert): WatchList {
  const key = (one: FeedAlert) => `${one.feedId} ${JSON.stringify(conditionJson(one.condition))}`;
  const isThere = list.alerts.some((one) => key(one) === key(alert));
  return isThere || list.alerts.length >= MOST_ALERTS ? list : { ...list, alerts: [...list.alerts, alert] };
}

/** The list with this one in front; the same where it is watched already or there are too many. */
export function withWatched(list: WatchList, one: Watched): WatchList {
  if (isWatched(list, one.id) || list.watched.length >= MOST_WATCHED) return list;
  const state = one.state.slice(0, LONGEST_WORD);
  return { ...list, watched: [{ ...one, state }, ...list.watched] };
}

export function isWatched({ watched }: Pick<WatchList, 'watched'>, id: string): boolean {
  return watched.some((one) => one.id === id);
}

function conditionJson(condition: AlertCondition): { k: string; v?: string; w?: number } {
  const plain = (value: ScaledInteger) => formatScaled(value, { decimals: 'trimmed' });
  switch (condition.kind) {
    case 'above':
    case 'below':
      return { k: condition.kind, v: plain(condition.price) };
    case 'change':
      return { k: 'change', v: plain(condition.percent), w: condition.windowS };
    case 'wide':
      return { k: 'wide', v: plain(condition.bps) };
    case 'stale':
      return { k: 'stale' };
  }
}

function alertOf(entry: Fields): FeedAlert | undefined {
  const { id, symbol, k, v, w } = entry;
  const feedId = typeof entry.feed === 'string' ? parseFeedId(entry.feed) : undefined;
  if (!isShortText(id, LONGEST_ALERT_ID) || feedId === undefined) return undefined;
  const condition = conditionOf(k, v, w);
  if (condition === undefined) return undefined;
  return {
    id,
    feedId,
    symbol: typeof symbol === 'string' ? symbol.slice(0, LONGEST_SYMBOL) : feedId,
    condition,
  };
}

function conditionOf(k: unknown, v: unknown, w: unknown): AlertCondition | undefined {
  if (k === 'stale') return { kind: 'stale' };
  const isNumbered = k === 'above' || k === 'below' || k === 'change' || k === 'wide';
  if (!isNumbered || typeof v !== 'string') return undefined;
  const read = conditionFromText(k, v, typeof w === 'number' ? w : 0);
  return 'condition' in read ? read.condition : undefined;
}

/**
 * A condition from what was typed, or what is wrong with it.
 * @param windowS of `change` only: one of `CHANGE_WINDOWS_S`
 */
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

function watchedOf(entry: Fields): Watched | undefined {
  const { kind, id, keeper, networkId, sinceMs, state, size, notedSize } = entry;
  if (!isShortText(id, LONGEST_ID) || !isShortText(keeper, LONGEST_WORD)) return undefined;
  if (typeof networkId !== 'string' || !/^\d{1,20}$/.test(networkId)) return undefined;
  if (kind !== 'request' && kind !== 'incident') return undefined;
  const parts = kind === 'request' ? requestOfKey(id) : { keeper, networkId };
  if (parts?.keeper !== keeper || parts.networkId !== networkId) return undefined;
  if (!isMoment(sinceMs) || !isShortText(state, LONGEST_WORD)) return undefined;
  const [was] = objectsOf([entry.was]);
  return {
    ...{ kind, id, keeper, networkId, sinceMs, state },
    ...(isCount(size) ? { size } : {}),
    ...(isCount(notedSize) ? { notedSize } : {}),
    ...(isShortText(was?.state, LONGEST_WORD) && isMoment(was?.atMs)
      ? { was: { state: was.state, atMs: was.atMs } }
      : {}),
  };
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isMoment(value: unknown): value is number {
  return isCount(value) && value <= LAST_MS;
}

function readList(text: string | null, older: (key: string) => string | null): WatchList {
  const [now] = objectsOf([parsedJson(text)]);
  const [alerts = {}] = now === undefined ? objectsOf([parsedJson(older('ks-alerts'))]) : [now];
  const [watch = {}] = now === undefined ? objectsOf([parsedJson(older('ks-watch'))]) : [now];
  let list: WatchList = {
    alerts: [],
    watched: [],
    sound: alerts.sound === 'yes' ? 'yes' : 'no',
    notify: alerts.notify === 'yes' || watch.notify === 'yes' ? 'yes' : 'no',
  };
  for (const entry of objectsOf(alerts.alerts)) {
    const alert = alertOf(entry);
    if (alert !== undefined && !list.alerts.some(({ id }) => id === alert.id)) list = withAlert(list, alert);
  }
  for (const entry of objectsOf(watch.watched).toReversed()) {
    const one = watchedOf(entry);
    if (one !== undefined) list = withWatched(list, one);
  }
  return list;
}

/** What is none of ours is left out. Earlier versions kept alerts (`ks-alerts`) and watches (`ks-watch`) apart. */
export const WATCH_LIST_FORM: KeptForm<WatchList> = {
  key: 'ks-watchlist',
  read: readList,
  write: ({ alerts, watched, sound, notify }) => {
    const kept = alerts.map(({ id, feedId, symbol, condition }) => ({
      id,
      feed: feedId,
      symbol,
      ...conditionJson(condition),
    }));
    return JSON.stringify({ alerts: kept, watched, sound, notify });
  },
};

export const watchList = new KeptValue(WATCH_LIST_FORM);

/** Asks the person, who has just clicked, whether this browser may show notifications. */
export async function chooseNotifications(choice: 'yes' | 'no'): Promise<'yes' | 'no' | 'refused'> {
  const answer = choice === 'yes' ? await askToNotify() : 'no';
  watchList.change((list) => ({ ...list, notify: answer === 'yes' ? 'yes' : 'no' }));
  return answer;
}

async function askToNotify(): Promise<'yes' | 'refused'> {
  // Over plain HTTP from another machine, and on some phones, there are none.
  if (typeof Notification === 'undefined') return 'refused';
  try {
    return (await Notification.requestPermission()) === 'granted' ? 'yes' : 'refused';
  } catch {
    return 'refused';
  }
}

/** Whether somebody looks at this tab. */
function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus();
}

let unseen = 0;
let isLooking = false;

/**
 * Tells what has happened: counted in the title while nobody looks (`(2) Pending`), and as notifications where they are
 * wanted. Several tabs show one of the same tag once.
 */
export function tellUnseen(
  count: number,
  notices: readonly { readonly title: string; readonly body: string; readonly tag: string }[],
): void {
  if (isLookedAt()) return;
  showBadge(unseen + count);
  if (!isLooking)
    for (const type of ['visibilitychange', 'focus']) window.addEventListener(type, looked, true);
  isLooking = true;
  const isAllowed = typeof Notification !== 'undefined' && Notification.permission === 'granted';
  if (watchList.read().notify !== 'yes' || !isAllowed) return;
  for (const { title, body, tag } of notices.slice(0, 3)) {
    try {
      const notice = new Notification(title, { body, tag });
      notice.onclick = () => window.focus();
    } catch {
      // Phones allow them from service workers only.
    }
  }
}

function looked(): void {
  if (isLookedAt()) showBadge(0);
}

/** A page that writes another title meanwhile keeps it. */
function showBadge(count: number): void {
  const badge = `(${unseen}) `;
  const plain = document.title.startsWith(badge) ? document.title.slice(badge.length) : document.title;
  if (count > 0 || unseen > 0) document.title = count > 0 ? `(${count}) ${plain}` : plain;
  unseen = count;
}
