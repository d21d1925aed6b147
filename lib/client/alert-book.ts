import { parseDecimal } from '@/lib/domain/decimal-text';
import { parseFeedId } from '@/lib/domain/feed';
import type { AlertCondition, AlertRule } from '@/lib/domain/feed-alerts';
import { formatScaled, type ScaledInteger } from '@/lib/domain/scaled-number';

/** An alert as it is kept: with the name of its feed, since the feed may be on no page. */
export type FeedAlert = AlertRule & { readonly symbol: string };

/** The alerts of this browser, and how they are said. */
export type AlertBook = {
  /** In the order in which they were made. */
  readonly alerts: readonly FeedAlert[];
  readonly sound: 'yes' | 'no';
  readonly notify: 'yes' | 'no';
};

export const ALERTS_KEY = 'ks-alerts';
export const EMPTY_ALERTS: AlertBook = { alerts: [], sound: 'no', notify: 'no' };
/** Nobody follows more; each is judged with every update. */
export const MOST_ALERTS = 50;
/** Windows that a change can be measured in, seconds: as far back as prices are kept. */
export const CHANGE_WINDOWS_S: readonly number[] = [60, 300, 900, 1800];

const LONGEST_SYMBOL = 100;
const LONGEST_ID = 40;

/** What another alert of the same feed has to differ in. */
export function conditionKey(condition: AlertCondition): string {
  return JSON.stringify(conditionJson(condition));
}

/** The book with one alert more; the same book where it has that alert already, or is full. */
export function withAlert(book: AlertBook, alert: FeedAlert): AlertBook {
  const isThere = book.alerts.some(
    ({ feedId, condition }) =>
      feedId === alert.feedId && conditionKey(condition) === conditionKey(alert.condition),
  );
  return isThere || book.alerts.length >= MOST_ALERTS ? book : { ...book, alerts: [...book.alerts, alert] };
}

/** The book without one alert. */
export function withoutAlert(book: AlertBook, id: string): AlertBook {
  const alerts = book.alerts.filter((alert) => alert.id !== id);
  return alerts.length === book.alerts.length ? book : { ...book, alerts };
}

type ConditionJson = { k: string; v?: string; w?: number };

function conditionJson(condition: AlertCondition): ConditionJson {
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

function plain(value: ScaledInteger): string {
  return formatScaled(value, { decimals: 'trimmed' });
}

/** The text that is kept. */
export function alertBookText({ alerts, sound, notify }: AlertBook): string {
  const kept = alerts.map(({ id, feedId, symbol, condition }) => ({
    id,
    feed: feedId,
    symbol,
    ...conditionJson(condition),
  }));
  return JSON.stringify({ alerts: kept, sound, notify });
}

/** The book that a text of the storage holds. Other tabs, extensions and older versions write there too: what can't be read is left out. */
export function readAlertBook(text: string | null): AlertBook {
  const stored = parsed(text);
  if (!isObject(stored)) return EMPTY_ALERTS;
  let book: AlertBook = {
    alerts: [],
    sound: stored.sound === 'yes' ? 'yes' : 'no',
    notify: stored.notify === 'yes' ? 'yes' : 'no',
  };
  const ids = new Set<string>();
  for (const entry of Array.isArray(stored.alerts) ? stored.alerts : []) {
    if (book.alerts.length >= MOST_ALERTS) break;
    const alert = alertOf(entry);
    if (alert === undefined || ids.has(alert.id)) continue;
    ids.add(alert.id);
    book = withAlert(book, alert);
  }
  return book;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

function alertOf(entry: unknown): FeedAlert | undefined {
  if (!isObject(entry)) return undefined;
  const { id, symbol } = entry;
  const feedId = typeof entry.feed === 'string' ? parseFeedId(entry.feed) : undefined;
  const condition = conditionOf(entry);
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) return undefined;
  if (feedId === undefined || condition === undefined) return undefined;
  return {
    id,
    feedId,
    symbol: typeof symbol === 'string' ? symbol.slice(0, LONGEST_SYMBOL) : feedId,
    condition,
  };
}

function conditionOf({ k, v, w }: Record<string, unknown>): AlertCondition | undefined {
  if (k === 'stale') return { kind: 'stale' };
  if ((k !== 'above' && k !== 'below' && k !== 'change' && k !== 'wide') || typeof v !== 'string')
    return undefined;
  const read = conditionFromText(k, v, typeof w === 'number' ? w : 0);
  return 'condition' in read ? read.condition : undefined;
}

/** The kinds of condition that have a number. */
export type NumberedKind = Exclude<AlertCondition['kind'], 'stale'>;

/**
 * A condition from what was typed, or what is wrong with it.
 * @param windowS of `change` only: one of `CHANGE_WINDOWS_S`
 */
export function conditionFromText(
  kind: NumberedKind,
  text: string,
  windowS: number,
): { readonly condition: AlertCondition } | { readonly problem: string } {
  const value = parseDecimal(text);
  if (value === undefined) return { problem: 'Type a number, for example 65000 or 0.005.' };
  switch (kind) {
    case 'above':
    case 'below':
      return { condition: { kind, price: value } };
    case 'wide':
      return value.mantissa > 0n
        ? { condition: { kind, bps: value } }
        : { problem: 'The width is a number above zero.' };
    case 'change':
      if (value.mantissa <= 0n)
        return { problem: 'The change is a number above zero; both directions count.' };
      return CHANGE_WINDOWS_S.includes(windowS)
        ? { condition: { kind, percent: value, windowS } }
        : { problem: 'Choose one of the windows.' };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
