'use client';
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import {
  type BoardResult,
  boardAddress,
  boardName,
  LONGEST_BOARD_NAME,
  MOST_BOARDS,
  type NamedBoard,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';

/** The boards of this browser behind a button that says which of them is shown. @param address of the board on screen */
export function BoardMenu({ address }: { address: string }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { boards, save, rename, remove } = useNamedBoards();
  const list = useRef<HTMLDivElement>(null);
  const here = boards.find(({ url }) => url === boardAddress(address));
  const names = boards.map(({ name }) => name);
  return (
    <Popover
      opened={opened}
      onChange={(open) => (open ? undefined : close())}
      width="min(24rem, calc(100vw - 1.5rem))"
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button rightSection={<Icon name="down" size={12} />} onClick={toggle}>
          Boards
          {here === undefined ? null : (
            <Text component="bdi" inherit c="var(--ks-accent)" maw="9rem" ml={6} truncate>
              {here.name}
            </Text>
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Boards" p="sm">
        {boards.length === 0 ? (
          <Text c="dimmed">No boards. Name this one to come back to it.</Text>
        ) : (
          <Stack
            component="ul"
            ref={list}
            gap={4}
            mah="50dvh"
            aria-label="Named boards"
            tabIndex={-1}
            style={{ overflow: 'auto', outline: 'none' }}
          >
            {boards.map((board) => (
              <BoardItem
                key={board.name}
                board={board}
                isHere={board === here}
                onOpen={() => {
                  close();
                  window.history.pushState(null, '', board.url);
                }}
                onRename={(name) => problemOf(rename(board.name, name))}
                onRemove={() => {
                  // The focus would be lost with the button.
                  list.current?.focus({ preventScroll: true });
                  remove(board.name);
                }}
              />
            ))}
          </Stack>
        )}
        <NameForm
          label="Save this board as"
          verb={(text) => (names.includes(boardName(text) ?? '') ? 'Replace' : 'Save')}
          onName={(name) => problemOf(save(name, address))}
        />
        <ShareLink address={address} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** What became of a change, where that has to be said; undefined when it went as wished. */
function problemOf(result: BoardResult): string | undefined {
  switch (result) {
    case 'saved':
      return undefined;
    case 'unkept':
      return 'Storage blocked: kept until this page is closed';
    case 'full':
      return `At most ${MOST_BOARDS} boards. Delete one first`;
    case 'no-name':
      return `Use 1 to ${LONGEST_BOARD_NAME} characters`;
    case 'taken':
      return 'Name already in use';
  }
}

function BoardItem({
  board: { name, url },
  isHere,
  onOpen,
  onRename,
  onRemove,
}: {
  board: NamedBoard;
  isHere: boolean;
  onOpen: () => void;
  /** Tells why not, if so. */
  onRename: (name: string) => string | undefined;
  onRemove: () => void;
}) {
  const [isRenaming, { open, close }] = useDisclosure(false);
  if (isRenaming) {
    const rename = (text: string) => {
      const problem = onRename(text);
      if (problem === undefined) close();
      return problem;
    };
    return (
      <li>
        <NameForm
          label={`New name of ${name}`}
          verb={() => 'Rename'}
          first={name}
          onName={rename}
          onEnd={close}
        />
      </li>
    );
  }
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <Button
        variant={isHere ? 'light' : 'subtle'}
        flex={1}
        miw={0}
        justify="start"
        aria-current={isHere ? 'true' : undefined}
        onClick={onOpen}
      >
        <bdi>{name}</bdi>
      </Button>
      <CopyButton value={`${window.location.origin}${url}`} label={`Copy the link of ${name}`} />
      <Button size="compact-xs" aria-label={`Rename ${name}`} onClick={open}>
        Rename
      </Button>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
  );
}

/** A field for a name, and why it is refused. */
function NameForm({
  label,
  verb,
  first = '',
  onName,
  onEnd,
}: {
  label: string;
  verb: (text: string) => string;
  first?: string;
  onName: (text: string) => string | undefined;
  /** Where it can be left without a name. */
  onEnd?: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(first);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (first !== '') field.current?.select();
  }, [first]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onName(text);
    setProblem(refusal);
    if (refusal === undefined) setText('');
  };
  return (
    <Group component="form" mt="xs" gap={4} align="end" wrap="nowrap" onSubmit={submit}>
      <TextInput
        ref={field}
        label={label}
        flex={1}
        value={text}
        maxLength={LONGEST_BOARD_NAME}
        autoComplete="off"
        error={problem}
        errorProps={{ role: 'alert' }}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || onEnd === undefined) return;
          // Only the renaming ends, not the menu.
          event.stopPropagation();
          event.preventDefault();
          onEnd();
        }}
      />
      <Button type="submit">{verb(text)}</Button>
    </Group>
  );
}

/** The link itself can be selected where the browser lets no page copy. */
function ShareLink({ address }: { address: string }) {
  const link = `${window.location.origin}${address}`;
  return (
    <Group mt="xs" gap={4} align="end" wrap="nowrap">
      <TextInput
        label="Link to this board"
        flex={1}
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={link} label="Copy the link to this board" />
    </Group>
  );
}
