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
  removeBoard,
  saveBoard,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';

/** The boards of this browser behind a button that says which of them is shown. @param address of the board on screen */
export function BoardMenu({ address }: { address: string }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const boards = useNamedBoards();
  const list = useRef<HTMLDivElement>(null);
  const here = boards.find(({ url }) => url === boardAddress(address));
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
        {boards.length === 0 ? <Text c="dimmed">No boards. Name this one to come back to it.</Text> : null}
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
            <Group component="li" key={board.name} gap={4} wrap="nowrap">
              <Button
                variant={board === here ? 'light' : 'subtle'}
                flex={1}
                miw={0}
                justify="start"
                aria-current={board === here ? 'true' : undefined}
                onClick={() => {
                  close();
                  window.history.pushState(null, '', board.url);
                }}
              >
                <bdi>{board.name}</bdi>
              </Button>
              <CopyButton
                value={`${window.location.origin}${board.url}`}
                label={`Copy the link of ${board.name}`}
              />
              <ActionIcon
                aria-label={`Delete ${board.name}`}
                title="Delete"
                onClick={() => {
                  // The focus would be lost with the button.
                  list.current?.focus({ preventScroll: true });
                  removeBoard(board.name);
                }}
              >
                <Icon name="close" size={13} />
              </ActionIcon>
            </Group>
          ))}
        </Stack>
        <SaveForm address={address} names={boards.map(({ name }) => name)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** A field for a name, and why it is refused. */
function SaveForm({ address, names }: { address: string; names: readonly string[] }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = saveBoard(text, address);
    setProblem(refusal);
    if (refusal === undefined) setText('');
  };
  return (
    <Group component="form" mt="xs" gap={4} align="end" wrap="nowrap" onSubmit={submit}>
      <TextInput
        label="Save this board as"
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
      />
      <Button type="submit">{names.includes(boardName(text) ?? '') ? 'Replace' : 'Save'}</Button>
    </Group>
  );
}
