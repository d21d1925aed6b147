'use client';
import Link from 'next/link';
import { type FormEvent, useId, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { PopoverButton } from '@/components/ui/popover-button';
import { boardOfFeeds, MOST_BOARD_FEEDS, withFeeds } from '@/lib/client/board-adding';
import { boardName, LONGEST_BOARD_NAME, type NamedBoard } from '@/lib/client/feed-boards';
import { type BoardResult, useNamedBoards } from '@/lib/client/feed-boards-of-browser';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import classes from './add-to-board.module.css';

/**
 * Puts symbols on a board of this browser, or on a new one. Feeds of the router alone have no live prices.
 * @param of tells the button from others of its kind
 */
export function AddToBoard({ symbols, of }: { symbols: readonly FeedSymbol[]; of: string }) {
  return (
    <PopoverButton
      name="Add to a board"
      look="words"
      mark="idle"
      face={
        <>
          <span>
            Add to board<span className="sr-only">: {of}</span>
          </span>
          <Icon name="down" size={12} />
        </>
      }
    >
      <Boards symbols={symbols} />
    </PopoverButton>
  );
}

function Boards({ symbols }: { symbols: readonly FeedSymbol[] }) {
  const titleId = useId();
  const { boards, save } = useNamedBoards();
  const [said, say] = useState('');
  const live = symbols.flatMap(({ feedId, symbol }) => (feedId === undefined ? [] : { feedId, symbol }));
  const ids = live.map(({ feedId }) => feedId);
  const add = ({ name, url }: NamedBoard) => {
    const adding = withFeeds(
      url,
      ids,
      live.map(({ symbol }) => symbol),
    );
    say(
      adding.result === 'added'
        ? savedWords(save(name, adding.url), name, adding.count)
        : WHY_NOT[adding.result],
    );
  };
  if (ids.length === 0)
    return <p className={classes.soft}>Only the router has these: there is no live price of them.</p>;
  return (
    <section className={classes.panel} aria-labelledby={titleId}>
      <h3 id={titleId} className={classes.title}>
        {whatIsAdded(live.length, symbols.length)}
      </h3>
      {boards.length === 0 ? null : (
        <ul className={classes.list} aria-label="Boards">
          {boards.map((board) => (
            <li key={board.name}>
              <button type="button" className={classes.board} onClick={() => add(board)}>
                <bdi>{board.name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
      <NewBoard
        names={boards.map(({ name }) => name)}
        onName={(name) => say(savedWords(save(name, boardOfFeeds(ids)), name, ids.length))}
      />
      <Link href={boardOfFeeds(ids)} className={classes.open}>
        Open as a board
      </Link>
      <p role="status" className={classes.said}>
        {said}
      </p>
    </section>
  );
}

function whatIsAdded(live: number, all: number): string {
  const feeds = live === 1 ? 'Add it to a board' : `Add ${live} feeds to a board`;
  return live === all ? feeds : `${feeds} (${all - live} of the router alone stay out)`;
}

const WHY_NOT = {
  known: 'It is on that board.',
  full: `A board shows at most ${MOST_BOARD_FEEDS} feeds.`,
  usual: 'That board is the usual one, whose feeds only the board’s page knows: open it and add there.',
} as const;

function savedWords(result: BoardResult, name: string, count: number): string {
  switch (result) {
    case 'saved':
      return `${count === 1 ? 'Added' : `${count} feeds added`} to “${boardName(name) ?? name}”.`;
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

function NewBoard({ names, onName }: { names: readonly string[]; onName: (name: string) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const isTaken = names.includes(boardName(text) ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onName(text);
    setText('');
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <label htmlFor={id} className={classes.label}>
        A new board
      </label>
      <input
        id={id}
        className="small-field"
        placeholder="Name"
        value={text}
        maxLength={LONGEST_BOARD_NAME}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" className="small-button" disabled={isTaken || text.trim() === ''}>
        Save
      </button>
      {isTaken ? <span className={classes.soft}>A board has this name: choose it above.</span> : null}
    </form>
  );
}
