'use client';
import { ActionIcon, Button, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { stuckAfterS as stuckAfter, useTriage } from '@/lib/pending/client';
import type { ColumnLayout } from '@/lib/requests/columns';
import {
  builtInViews,
  LONGEST_NAME,
  MOST_VIEWS,
  type SavedView,
  type SavedViews as SavedViewsStore,
  type SaveResult,
  savableView,
  savedViews,
  VIEWS_KEY,
  viewName,
  viewOf,
} from '@/lib/requests/saved-views';
import type { RequestsView } from '@/lib/requests/view-shape';
import classes from './dialogs.module.css';

type Props = {
  view: RequestsView;
  layout: ColumnLayout;
  onShow: (view: RequestsView) => void;
};

/** The button, and what it opens: views that come along, those that this browser keeps, and a way to keep this one. */
export function SavedViews({ view, layout, onShow }: Props) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const showAndClose = (chosen: RequestsView) => {
    close();
    onShow(chosen);
  };
  return (
    <Popover
      opened={opened}
      onChange={(open) => (open ? undefined : close())}
      width="min(21rem, calc(100vw - 1.5rem))"
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button data-toolbar-toggle="" size="compact-xs" onClick={toggle}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <BuiltInViews onShow={showAndClose} />
        <OwnViews view={view} layout={layout} onShow={showAndClose} />
      </Popover.Dropdown>
    </Popover>
  );
}

function BuiltInViews({ onShow }: Pick<Props, 'onShow'>) {
  const { zone } = useTimeStyle();
  const [nowMs] = useState(Date.now);
  const stuckAfterS = stuckAfter(useTriage(undefined, 0));
  // What is stuck is so at the moment of choosing, however long the menu has been open.
  const choose = (at: number) => {
    const chosen = builtInViews(Date.now(), zone, stuckAfterS)[at];
    if (chosen !== undefined) onShow(viewOf(chosen));
  };
  return (
    <ul className={classes.list}>
      {builtInViews(nowMs, zone, stuckAfterS).map(({ name, says }, at) => (
        <li key={name}>
          <UnstyledButton className={classes.open} onClick={() => choose(at)}>
            {name} <span className={classes.says}>{says}</span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

/** What became of a change, where that has to be said; undefined when it went as wished. */
function saveProblem(result: SaveResult): string | undefined {
  switch (result) {
    case 'saved':
    case 'replaced':
      return undefined;
    case 'unkept':
      return 'Storage blocked: kept until this page is closed';
    case 'full':
      return `At most ${MOST_VIEWS} views. Delete one first`;
    case 'no-name':
      return `Use 1 to ${LONGEST_NAME} characters`;
    case 'taken':
      return 'Name already in use';
  }
}

function OwnViews({ view, layout, onShow }: Props) {
  const { views, save, rename, remove } = useSavedViews();
  const names = views.map(({ name }) => name);
  return (
    <>
      {views.length === 0 ? null : (
        <ul className={classes.list} aria-label="Saved views">
          {views.map((saved) => (
            <OwnView
              key={saved.name}
              saved={saved}
              onShow={() => onShow(viewOf(saved))}
              onRename={(name) => saveProblem(rename(saved.name, name))}
              onRemove={() => remove(saved.name)}
            />
          ))}
        </ul>
      )}
      <NameForm
        label="Save this view as"
        verb={(text) => (names.includes(viewName(text) ?? '') ? 'Replace' : 'Save')}
        onName={(name) => saveProblem(save(name, savableView(view, layout)))}
      />
    </>
  );
}

type OwnViewProps = {
  saved: SavedView;
  onShow: () => void;
  /** Tells why not, if so. */
  onRename: (name: string) => string | undefined;
  onRemove: () => void;
};

/** One saved view: open it, copy its link, give it another name, delete it. */
function OwnView({ saved, onShow, onRename, onRemove }: OwnViewProps) {
  const [renaming, { open, close }] = useDisclosure(false);
  const name = clipped(saved.name, LONGEST_NAME);
  if (renaming) {
    return (
      <li>
        <NameForm
          label={`New name of ${name}`}
          name={saved.name}
          verb={() => 'Rename'}
          onName={(text) => {
            const problem = onRename(text);
            if (problem === undefined) close();
            return problem;
          }}
          onCancel={close}
        />
      </li>
    );
  }
  return (
    <li className={classes.saved}>
      <UnstyledButton className={classes.open} onClick={onShow}>
        <bdi>{name}</bdi>
      </UnstyledButton>
      <CopyButton value={`${window.location.origin}${saved.url}`} label={`Copy link of ${name}`} />
      <Button size="compact-xs" variant="subtle" aria-label={`Rename ${name}`} onClick={open}>
        Rename
      </Button>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </li>
  );
}

/** A name and what is done with it. Escape ends renaming, and leaves the menu open. */
function NameForm({
  label,
  name = '',
  verb,
  onName,
  onCancel,
}: {
  label: string;
  name?: string;
  verb: (text: string) => string;
  /** Tells why not, if so. */
  onName: (name: string) => string | undefined;
  onCancel?: () => void;
}) {
  const [text, setText] = useState(name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onName(text);
    setProblem(refusal);
    if (refusal === undefined) setText(name);
  };
  return (
    <form className={classes.name} onSubmit={submit}>
      <TextInput
        label={onCancel === undefined ? label : undefined}
        aria-label={label}
        value={text}
        error={problem}
        maxLength={LONGEST_NAME}
        autoComplete="off"
        data-autofocus={onCancel === undefined ? undefined : true}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || onCancel === undefined) return;
          event.stopPropagation();
          onCancel();
        }}
      />
      <Button type="submit">{verb(text)}</Button>
    </form>
  );
}

let ofBrowser: SavedViewsStore | undefined;

/** Those of this browser: made when they are first asked for, since a browser may forbid even to look at its storage. */
function browserSavedViews(): SavedViewsStore {
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
function useSavedViews() {
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
