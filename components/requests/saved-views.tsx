'use client';
import { ActionIcon, Button, Divider, Group, NavLink, Popover, TextInput } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { stuckAfterS as stuckAfter, useTriage } from '@/lib/pending/client';
import type { ColumnLayout } from '@/lib/requests/columns';
import {
  builtInViews,
  LONGEST_NAME,
  NO_VIEWS,
  readSavedViews,
  type SavedView,
  savableView,
  VIEWS_KEY,
  type ViewsChange,
  viewName,
  viewOf,
  withRenamedView,
  withView,
} from '@/lib/requests/saved-views';
import type { RequestsView } from '@/lib/requests/view';

type Props = {
  view: RequestsView;
  layout: ColumnLayout;
  onShow: (view: RequestsView) => void;
};

/** The button, and what it opens: views that come along, those that this browser keeps, and a way to keep this one. */
export function SavedViews({ view, layout, onShow }: Props) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [views, keep] = useLocalStorage<readonly SavedView[]>({
    key: VIEWS_KEY,
    defaultValue: NO_VIEWS,
    deserialize: readSavedViews,
    serialize: (value) => JSON.stringify(value),
  });
  const names = views.map(({ name }) => name);
  const showAndClose = (chosen: RequestsView) => {
    close();
    onShow(chosen);
  };
  /** Tells why not, if so. */
  const change = ({ problem, views: next }: ViewsChange) => {
    if (next !== undefined) keep(next);
    return problem;
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
        <Divider my={4} />
        {views.length === 0 ? null : (
          <>
            <ul aria-label="Saved views">
              {views.map((saved) => (
                <OwnView
                  key={saved.name}
                  saved={saved}
                  onShow={() => showAndClose(viewOf(saved))}
                  onRename={(name) => change(withRenamedView(views, saved.name, name))}
                  onRemove={() => keep(views.filter(({ name }) => name !== saved.name))}
                />
              ))}
            </ul>
            <Divider my={4} />
          </>
        )}
        <NameForm
          label="Save this view as"
          verb={(text) => (names.includes(viewName(text) ?? '') ? 'Replace' : 'Save')}
          onName={(name) => change(withView(views, name, savableView(view, layout)))}
        />
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
    <ul>
      {builtInViews(nowMs, zone, stuckAfterS).map(({ name, says }, at) => (
        <li key={name}>
          <NavLink component="button" p={6} label={name} description={says} onClick={() => choose(at)} />
        </li>
      ))}
    </ul>
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
    <Group component="li" gap={4} wrap="nowrap">
      <NavLink component="button" p={6} label={<bdi>{name}</bdi>} onClick={onShow} />
      <CopyButton value={`${window.location.origin}${saved.url}`} label={`Copy link of ${name}`} />
      <Button size="compact-xs" variant="subtle" aria-label={`Rename ${name}`} onClick={open}>
        Rename
      </Button>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
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
    <form onSubmit={submit}>
      <Group gap={4} p={6} align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
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
      </Group>
    </form>
  );
}
