'use client';
import { Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { LatePopover } from '@/components/ui/late-popover';
import { NamedItem, NameForm } from '@/components/ui/named-items';
import { Muted } from '@/components/ui/text';
import { normalizeName } from '@/lib/core/named-urls';
import {
  boardAddress,
  removeBoard,
  renameBoard,
  saveBoard,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';

export function BoardMenu({ address }: { address: string }) {
  const [opened, { set, close }] = useDisclosure(false);
  const boards = useNamedBoards();
  const link = opened ? `${window.location.origin}${address}` : '';
  const current = boards.find(({ url }) => url === boardAddress(address));
  return (
    <LatePopover
      width="min(24rem, calc(100vw - 1.5rem))"
      opened={opened}
      onChange={set}
      buttonProps={{
        size: 'xs',
        rightSection: <Icon name="down" size={12} />,
        children: (
          <>
            Boards
            {current === undefined ? null : (
              <Text component="bdi" inherit c="var(--ks-accent)" maw="9rem" ml={6} truncate>
                {current.name}
              </Text>
            )}
          </>
        ),
      }}
    >
      <BoardList boards={boards} here={current} onOpen={close} />
      <NameForm
        label="Save this board as"
        verb={(text) => (boards.some(({ name }) => name === normalizeName(text)) ? 'Replace' : 'Save')}
        onName={(text) => saveBoard(text, address)}
      />
      {/* Without a clipboard, the link can be selected. */}
      <TextInput
        mt="xs"
        label="Link to this board"
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton value={link} label="Copy the link to this board" />}
      />
    </LatePopover>
  );
}

type Boards = ReturnType<typeof useNamedBoards>;
type BoardListProps = { boards: Boards; here: Boards[number] | undefined; onOpen: () => void };

function BoardList({ boards, here, onOpen }: BoardListProps) {
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      {boards.length === 0 ? <Muted>No boards</Muted> : null}
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
          <NamedItem
            key={board.name}
            {...board}
            isHere={board === here}
            onOpen={() => {
              onOpen();
              window.history.pushState(null, '', board.url);
            }}
            onRename={(text) => renameBoard(board.name, text)}
            onRemove={() => {
              // The focused button disappears, so the focus moves to the list.
              list.current?.focus({ preventScroll: true });
              removeBoard(board.name);
            }}
          />
        ))}
      </Stack>
    </>
  );
}
