'use client';
import { useEffect, useSyncExternalStore } from 'react';
import { type SavedView, type SavedViews, savedViews, VIEWS_KEY } from './saved-views';

let ofBrowser: SavedViews | undefined;

/** Those of this browser: made when they are first asked for, since a browser may forbid even to look at its storage. */
function browserSavedViews(): SavedViews {
  ofBrowser ??= savedViews(storageOrNone());
  return ofBrowser;
}

function storageOrNone(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

const NONE: readonly SavedView[] = [];

/** The views that this browser keeps, those of its other tabs too, and what can be done with them. */
export function useSavedViews() {
  const store = browserSavedViews();
  const views = useSyncExternalStore(store.subscribe, store.read, () => NONE);
  useEffect(() => {
    const reload = ({ key }: StorageEvent) => {
      if (key === VIEWS_KEY || key === null) store.reload();
    };
    window.addEventListener('storage', reload);
    return () => window.removeEventListener('storage', reload);
  }, [store]);
  return { views, save: store.save, rename: store.rename, remove: store.remove };
}
