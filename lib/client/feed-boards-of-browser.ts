'use client';
import { useEffect, useSyncExternalStore } from 'react';
import { BOARDS_FORM, type BoardChange, type NamedBoard, withBoard, withNewName } from './feed-boards';
import { KeptValue } from './kept-value';

let ofBrowser: KeptValue<readonly NamedBoard[]> | undefined;

/** Made when it is first asked for, since a browser may forbid even to look at its storage. */
function keptBoards(): KeptValue<readonly NamedBoard[]> {
  ofBrowser ??= new KeptValue(storageOrNone(), BOARDS_FORM);
  return ofBrowser;
}

function storageOrNone(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

/** `unkept`: it lasts as long as the page, because nothing can be stored. */
export type BoardResult = BoardChange['result'] | 'unkept';

function change(make: (boards: readonly NamedBoard[]) => BoardChange): BoardResult {
  let result: BoardChange['result'] = 'saved';
  const kept = keptBoards().change((boards) => {
    const next = make(boards);
    result = next.result;
    return next.boards;
  });
  return result === 'saved' && kept === 'unkept' ? 'unkept' : result;
}

const ACTIONS = {
  save: (name: string, url: string): BoardResult => change((boards) => withBoard(boards, name, url)),
  rename: (from: string, to: string): BoardResult => change((boards) => withNewName(boards, from, to)),
  remove: (name: string): void => {
    change((boards) => ({ boards: boards.filter((known) => known.name !== name), result: 'saved' }));
  },
} as const;

const NONE: readonly NamedBoard[] = [];

/** The boards of this browser, those that its other tabs keep too, and what can be done with them. */
export function useNamedBoards() {
  const boards = useSyncExternalStore(
    (listener) => keptBoards().subscribe(listener),
    () => keptBoards().read(),
    () => NONE,
  );
  useEffect(() => {
    const reload = ({ key }: StorageEvent) => {
      if (key === BOARDS_FORM.key || key === null) keptBoards().reload();
    };
    window.addEventListener('storage', reload);
    return () => window.removeEventListener('storage', reload);
  }, []);
  return { boards, ...ACTIONS };
}
