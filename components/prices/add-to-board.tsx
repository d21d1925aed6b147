'use client';
import { Button, Popover, Stack, Text, TextInput } from '@mantine/core';
import Link from 'next/link';
import { type FormEvent, useState } from 'react';
import { boardOfFeeds, MOST_BOARD_FEEDS, withFeeds } from '@/lib/feeds/board-url';
import {
  type BoardResult,
  boardName,
  LONGEST_BOARD_NAME,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';
import type { FeedSymbol } from '@/lib/prices/symbols-answer';

/**
 * Puts symbols on a board of this browser, or on a new one. Feeds of the router alone have no live prices.
 * @param of tells the button from others of its kind
 */
export function AddToBoard({ symbols, of }: { symbols: readonly FeedSymbol[]; of: string }) {
  return (
    <Popover position="bottom-end" width={260} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="compact-xs" aria-label={`Add to board: ${of}`}>
          Add to board
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Boards symbols={symbols} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Boards({ symbols }: { symbols: readonly FeedSymbol[] }) {
  const { boards, save } = useNamedBoards();
  const [status, setStatus] = useState('');
  const [name, setName] = useState('');
  const live = symbols.flatMap(({ feedId, symbol }) => (feedId === undefined ? [] : { feedId, symbol }));
  const ids = live.map(({ feedId }) => feedId);
  if (ids.length === 0) return <Text size="sm">Only the router has these: no live prices.</Text>;
  const add = (board: string, url: string) => {
    const adding = withFeeds(
      url,
      ids,
      live.map(({ symbol }) => symbol),
    );
    setStatus(
      adding.result === 'added' ? resultText(save(board, adding.url), board) : REFUSALS[adding.result],
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setStatus(resultText(save(name, boardOfFeeds(ids)), name));
    setName('');
  };
  const isTaken = boards.some((board) => board.name === boardName(name));
  return (
    <Stack gap="xs">
      {boards.map((board) => (
        <Button key={board.name} justify="start" onClick={() => add(board.name, board.url)}>
          <bdi>{board.name}</bdi>
        </Button>
      ))}
      <form onSubmit={submit}>
        <TextInput
          label="New board"
          placeholder="Name"
          value={name}
          maxLength={LONGEST_BOARD_NAME}
          autoComplete="off"
          error={isTaken ? 'A board has this name.' : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
          rightSectionWidth="3.5rem"
          rightSection={
            <Button type="submit" size="compact-xs" disabled={isTaken || name.trim() === ''}>
              Save
            </Button>
          }
        />
      </form>
      <Link href={boardOfFeeds(ids)}>Open as a board</Link>
      <Text role="status" size="sm" c="dimmed">
        {status}
        {live.length === symbols.length
          ? ''
          : ` ${symbols.length - live.length} of the router alone stay out.`}
      </Text>
    </Stack>
  );
}

const REFUSALS = {
  known: 'It is on that board.',
  full: `A board shows at most ${MOST_BOARD_FEEDS} feeds.`,
  usual: 'That board is the usual one, whose feeds only the board’s page knows: open it and add there.',
} as const;

function resultText(result: BoardResult, name: string): string {
  switch (result) {
    case 'saved':
      return `Added to “${boardName(name) ?? name}”.`;
    case 'unkept':
      return 'This browser keeps nothing for this page: the board is gone when it is closed.';
    case 'full':
      return 'No more boards are kept: delete one first.';
    case 'no-name':
      return `A name has 1 to ${LONGEST_BOARD_NAME} letters.`;
    case 'taken':
      return 'Another board has this name.';
  }
}
