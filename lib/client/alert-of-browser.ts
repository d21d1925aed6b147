'use client';
import { useEffect, useSyncExternalStore } from 'react';
import type { AlertCondition } from '@/lib/domain/feed-alerts';
import {
  ALERTS_KEY,
  type AlertBook,
  alertBookText,
  EMPTY_ALERTS,
  type FeedAlert,
  MOST_ALERTS,
  readAlertBook,
  withAlert,
  withoutAlert,
} from './alert-book';
import { soundAlert } from './alert-signal';
import { KeptValue } from './kept-value';
import { askToNotify } from './watch-notice';

let ofBrowser: KeptValue<AlertBook> | undefined;

/** Made when it is first asked for, since a browser may forbid even to look at its storage. */
function keptAlerts(): KeptValue<AlertBook> {
  ofBrowser ??= new KeptValue(storageOrNone(), {
    key: ALERTS_KEY,
    read: readAlertBook,
    write: alertBookText,
  });
  return ofBrowser;
}

function storageOrNone(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

/** `there`: another alert says the same. `unkept`: it lasts as long as the page, because nothing can be stored. */
export type AddResult = 'added' | 'unkept' | 'there' | 'full';

function add(feed: Pick<FeedAlert, 'feedId' | 'symbol'>, condition: AlertCondition): AddResult {
  let result: AddResult = 'added';
  const id = `a${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
  const kept = keptAlerts().change((book) => {
    const next = withAlert(book, { id, ...feed, condition });
    if (next === book) result = book.alerts.length >= MOST_ALERTS ? 'full' : 'there';
    return next;
  });
  return result === 'added' && kept === 'unkept' ? 'unkept' : result;
}

function set(part: Partial<Pick<AlertBook, 'sound' | 'notify'>>): void {
  keptAlerts().change((book) => ({ ...book, ...part }));
}

const ACTIONS = {
  add,
  remove: (id: string): void => void keptAlerts().change((book) => withoutAlert(book, id)),
  /** Only from a click: it is played once, so that one knows it, and browsers play nothing before a click. */
  sound: (choice: 'yes' | 'no'): void => {
    if (choice === 'yes') soundAlert();
    set({ sound: choice });
  },
  /** Only from a click: browsers ask the person then. */
  notify: async (choice: 'yes' | 'no'): Promise<'yes' | 'no' | 'refused'> => {
    const answer = choice === 'yes' ? await askToNotify() : 'no';
    set({ notify: answer === 'yes' ? 'yes' : 'no' });
    return answer;
  },
} as const;

/** The alerts of this browser, those that its other tabs make too, and what can be done with them. */
export function useAlertBook() {
  const kept = useSyncExternalStore(
    (listener) => keptAlerts().subscribe(listener),
    () => keptAlerts().read(),
    () => EMPTY_ALERTS,
  );
  useEffect(() => {
    const reload = ({ key }: StorageEvent) => {
      if (key === ALERTS_KEY || key === null) keptAlerts().reload();
    };
    window.addEventListener('storage', reload);
    return () => window.removeEventListener('storage', reload);
  }, []);
  return { book: kept, ...ACTIONS };
}
