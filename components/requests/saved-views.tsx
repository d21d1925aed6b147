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
  viewName,
  viewOf,
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
        <Divider my={4} />
        {views.length === 0 ? null : (
          <>
            <ul aria-label="Saved views">
              {views.map((saved) => (
                <OwnView
                  key={saved.name}
                  saved={saved}
                  onShow={() => showAndClose(viewOf(saved))}
                  onRemove={() => keep(views.filter(({ name }) => name !== saved.name))}
                />
              ))}
            </ul>
            <Divider my={4} />
          </>
        )}
        <SaveForm
          names={views.map(({ name }) => name)}
          onSave={(name) => {
            const { problem, views: next } = withView(views, name, savableView(view, layout));
            if (next !== undefined) keep(next);
            return problem;
          }}
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

type OwnViewProps = { saved: SavedView; onShow: () => void; onRemove: () => void };

function OwnView({ saved, onShow, onRemove }: OwnViewProps) {
  const name = clipped(saved.name, LONGEST_NAME);
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <NavLink component="button" p={6} label={<bdi>{name}</bdi>} onClick={onShow} />
      <CopyButton value={`${window.location.origin}${saved.url}`} label={`Copy link of ${name}`} />
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
  );
}

type SaveProps = {
  names: readonly string[];
  /** Tells why not, if so. */
  onSave: (name: string) => string | undefined;
};

function SaveForm({ names, onSave }: SaveProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onSave(text);
    setProblem(refusal);
    if (refusal === undefined) setText('');
  };
  return (
    <form onSubmit={submit}>
      <Group gap={4} p={6} align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label="Save this view as"
          value={text}
          error={problem}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <Button type="submit">{names.includes(viewName(text) ?? '') ? 'Replace' : 'Save'}</Button>
      </Group>
    </form>
  );
}
