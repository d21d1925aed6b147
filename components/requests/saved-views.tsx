'use client';
import { useMemo, useState } from 'react';
import type { SaveResult } from '@/lib/client/saved-views';
import {
  builtInViews,
  LONGEST_NAME,
  MOST_VIEWS,
  networkOfKey,
  oneNetworkView,
  savableView,
  stuckAfter,
  viewOf,
} from '@/lib/client/saved-views';
import { useSavedViews } from '@/lib/client/saved-views-of-browser';
import { useTimeStyle } from '@/lib/client/time-style';
import { useTriage } from '@/lib/client/use-triage';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { RequestsView } from '@/lib/requests/view';
import { useNetwork } from './networks-context';
import { SavedViewItem } from './saved-view-item';
import classes from './saved-views.module.css';
import { SaveViewForm } from './saved-views-form';

type Props = {
  view: RequestsView;
  layout: ColumnLayout;
  rows: readonly ListedRow[] | undefined;
  onShow: (view: RequestsView) => void;
};

/** What became of a change, where that has to be said; undefined when it went as wished. */
export function saveProblem(result: SaveResult): string | undefined {
  switch (result) {
    case 'saved':
    case 'replaced':
      return undefined;
    case 'unkept':
      return 'This browser keeps nothing for this page: the view is gone when it is closed.';
    case 'full':
      return `There are ${MOST_VIEWS} views, and no more are kept: delete one first.`;
    case 'no-name':
      return `A name has 1 to ${LONGEST_NAME} letters.`;
    case 'taken':
      return 'Another view has this name.';
  }
}

function NetworkOption({ networkId }: { networkId: string }) {
  return <option value={networkId}>{useNetwork(networkId).name}</option>;
}

/** The network of the open row, or one out of those on screen. */
function OneNetwork({ view, rows, onShow }: Omit<Props, 'layout'>) {
  const loaded = useMemo(() => {
    const ids = (rows ?? []).flatMap((row) => (row.kind === 'record' ? row.networkId : []));
    return [...new Set(ids)];
  }, [rows]);
  const first = networkOfKey(view.open) ?? view.networks[0] ?? loaded[0];
  const [chosen, choose] = useState(first);
  if (first === undefined) return null;
  const offered = [...new Set([first, ...view.networks, ...loaded])];
  return (
    <form
      className={classes.network}
      onSubmit={(event) => {
        event.preventDefault();
        onShow(oneNetworkView(chosen ?? first, view.keepers));
      }}
    >
      <button type="submit" className={classes.open}>
        One network
      </button>
      <select
        className="small-field"
        aria-label="Network of the view"
        value={chosen ?? first}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {offered.map((networkId) => (
          <NetworkOption key={networkId} networkId={networkId} />
        ))}
      </select>
    </form>
  );
}

/** Views that come along, views that this browser keeps, and a way to keep this one. */
export function SavedViewsMenu({ view, layout, rows, onShow }: Props) {
  const { views, save, rename, remove } = useSavedViews();
  const { zone } = useTimeStyle();
  const [nowMs] = useState(Date.now);
  const stuckAfterS = stuckAfter(useTriage(undefined, 0));
  // What is stuck is so at the moment of choosing, however long the menu has been open.
  const choose = (at: number) => {
    const chosen = builtInViews(Date.now(), zone, stuckAfterS)[at];
    if (chosen !== undefined) onShow(viewOf(chosen));
  };
  return (
    <div className={classes.menu}>
      <h2 className={classes.heading}>Built in</h2>
      <ul className={classes.list}>
        {builtInViews(nowMs, zone, stuckAfterS).map((builtIn, at) => (
          <li key={builtIn.name}>
            <button type="button" className={classes.open} onClick={() => choose(at)}>
              {builtIn.name}
              <span className={classes.says}>{builtIn.says}</span>
            </button>
          </li>
        ))}
        <li>
          <OneNetwork view={view} rows={rows} onShow={onShow} />
        </li>
      </ul>
      <h2 className={classes.heading}>Saved in this browser</h2>
      {views.length === 0 ? <p className={classes.none}>None yet.</p> : null}
      <ul className={classes.list}>
        {views.map((saved) => (
          <SavedViewItem
            key={saved.name}
            saved={saved}
            onShow={() => onShow(viewOf(saved))}
            onRename={(name) => saveProblem(rename(saved.name, name))}
            onRemove={() => remove(saved.name)}
          />
        ))}
      </ul>
      <SaveViewForm
        names={views.map(({ name }) => name)}
        onSave={(name) => saveProblem(save(name, savableView(view, layout)))}
      />
    </div>
  );
}
