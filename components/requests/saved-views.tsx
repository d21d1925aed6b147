'use client';
import { ActionIcon, Button, Divider, Group, NavLink, Popover, TextInput } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
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
import { useRequests } from './requests-context';

/** The button, and what it opens: views that come along, those that this browser keeps, and a way to keep this one. */
export function SavedViews({ layout }: { layout: ColumnLayout }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onDismiss={close}
      width="min(21rem, calc(100vw - 1.5rem))"
      position="bottom-end"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button data-toolbar-toggle="" size="compact-xs" onClick={toggle}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Views layout={layout} onClose={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Views({ layout, onClose }: { layout: ColumnLayout; onClose: () => void }) {
  const { view, show } = useRequests();
  const { zone } = useTimeStyle();
  const [nowMs] = useState(Date.now);
  const stuckAfterS = stuckAfter(useTriage(undefined, 0));
  const [views, keep] = useLocalStorage<readonly SavedView[]>({
    key: VIEWS_KEY,
    defaultValue: NO_VIEWS,
    deserialize: readSavedViews,
    serialize: (value) => JSON.stringify(value),
  });
  const open = (chosen: SavedView | undefined) => {
    onClose();
    if (chosen !== undefined) show(() => viewOf(chosen), 'push');
  };
  /** Tells why not, if so. */
  const change = ({ problem, views: next }: ViewsChange) => {
    if (next !== undefined) keep(next);
    return problem;
  };
  const isKnown = (text: string) => views.some(({ name }) => name === viewName(text));
  return (
    <>
      <ul>
        {builtInViews(nowMs, zone, stuckAfterS).map(({ name, says }, at) => (
          <li key={name}>
            {/* What is stuck is so at the moment of choosing, however long the menu has been open. */}
            <NavLink
              component="button"
              p={6}
              label={name}
              description={says}
              onClick={() => open(builtInViews(Date.now(), zone, stuckAfterS)[at])}
            />
          </li>
        ))}
      </ul>
      <Divider my={4} />
      {views.length === 0 ? null : (
        <>
          <ul aria-label="Saved views">
            {views.map((saved) => (
              <OwnView
                key={saved.name}
                saved={saved}
                onOpen={() => open(saved)}
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
        verb={(text) => (isKnown(text) ? 'Replace' : 'Save')}
        onName={(name) => change(withView(views, name, savableView(view, layout)))}
      />
    </>
  );
}

/** Tells why not, if so. */
type OnName = (name: string) => string | undefined;
type OwnViewProps = { saved: SavedView; onOpen: () => void; onRename: OnName; onRemove: () => void };

/** One saved view: open it, copy its link, give it another name, delete it. */
function OwnView({ saved: { name, url }, onOpen, onRename, onRemove }: OwnViewProps) {
  const [renaming, rename] = useDisclosure(false);
  if (renaming) {
    const onName = (text: string) => {
      const problem = onRename(text);
      if (problem === undefined) rename.close();
      return problem;
    };
    return (
      <li>
        <NameForm
          label={`New name of ${name}`}
          name={name}
          verb={() => 'Rename'}
          onName={onName}
          onCancel={rename.close}
        />
      </li>
    );
  }
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <NavLink component="button" p={6} label={<bdi>{name}</bdi>} onClick={onOpen} />
      <CopyButton value={`${window.location.origin}${url}`} label={`Copy link of ${name}`} />
      <Button size="compact-xs" variant="subtle" aria-label={`Rename ${name}`} onClick={rename.open}>
        Rename
      </Button>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
  );
}

type NameProps = {
  label: string;
  name?: string;
  verb: (text: string) => string;
  onName: OnName;
  onCancel?: () => void;
};

/** A name and what is done with it. Escape ends renaming, and leaves the menu open. */
function NameForm({ label, name = '', verb, onName, onCancel }: NameProps) {
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
