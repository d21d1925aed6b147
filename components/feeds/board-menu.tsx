'use client';
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useRef, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import {
  boardAddress,
  boardName,
  LONGEST_BOARD_NAME,
  type NamedBoard,
  removeBoard,
  renameBoard,
  saveBoard,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';

/** The boards of this browser behind a button that says which of them is shown. @param address of the board on screen */
export function BoardMenu({ address }: { address: string }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const boards = useNamedBoards();
  const list = useRef<HTMLDivElement>(null);
  const link = opened ? `${window.location.origin}${address}` : '';
  const here = boards.find(({ url }) => url === boardAddress(address));
  return (
    <Popover
      opened={opened}
      onDismiss={close}
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
        {boards.length === 0 ? <Text c="dimmed">No boards</Text> : null}
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
              onRemove={() => {
                // The focus would be lost with the button.
                list.current?.focus({ preventScroll: true });
                removeBoard(board.name);
              }}
            />
          ))}
        </Stack>
        <NameForm
          label="Save this board as"
          verb={(text) => (boards.some(({ name }) => name === boardName(text)) ? 'Replace' : 'Save')}
          onName={(text) => saveBoard(text, address)}
        />
        {/* The link itself can be selected where the browser lets no page copy. */}
        <TextInput
          mt="xs"
          label="Link to this board"
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
          rightSection={<CopyButton value={link} label="Copy the link to this board" />}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

type ItemProps = { board: NamedBoard; isHere: boolean; onOpen: () => void; onRemove: () => void };

function BoardItem({ board: { name, url }, isHere, onOpen, onRemove }: ItemProps) {
  const [isRenaming, { open, close }] = useDisclosure(false);
  if (isRenaming) {
    const rename = (text: string) => {
      const problem = renameBoard(name, text);
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

type NameFormProps = {
  label: string;
  verb: (text: string) => string;
  first?: string;
  /** Tells why a name is refused, if so. */
  onName: (text: string) => string | undefined;
  /** Where it can be left without a name. */
  onEnd?: () => void;
};

function NameForm({ label, verb, first = '', onName, onEnd }: NameFormProps) {
  const [text, setText] = useState(first);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onName(text);
    setProblem(refusal);
    if (refusal === undefined) setText('');
  };
  return (
    <Group component="form" mt="xs" gap={4} align="end" wrap="nowrap" onSubmit={submit}>
      <TextInput
        label={label}
        flex={1}
        value={text}
        maxLength={LONGEST_BOARD_NAME}
        autoComplete="off"
        error={problem}
        errorProps={{ role: 'alert' }}
        autoFocus={first !== ''}
        onFocus={(event) => event.currentTarget.select()}
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
