'use client';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { PopoverButton } from '@/components/ui/popover-button';
import {
  boardAddress,
  boardName,
  LONGEST_BOARD_NAME,
  MOST_BOARDS,
  type NamedBoard,
} from '@/lib/client/feed-boards';
import { type BoardResult, useNamedBoards } from '@/lib/client/feed-boards-of-browser';
import { setAddress } from '@/lib/client/use-address';
import classes from './board-menu.module.css';

/** The boards of this browser behind a button that says which of them is shown. @param address of the board on screen */
export function BoardMenu({ address }: { address: string }) {
  const { boards } = useNamedBoards();
  const here = boards.find(({ url }) => url === boardAddress(address));
  return (
    <PopoverButton
      name="Boards"
      look="words"
      mark="idle"
      face={
        <>
          Boards{here === undefined ? null : <bdi className={classes.here}>{here.name}</bdi>}
          <Icon name="down" size={12} />
        </>
      }
    >
      <Boards address={address} here={here} />
    </PopoverButton>
  );
}

function Boards({ address, here }: { address: string; here: NamedBoard | undefined }) {
  const titleId = useId();
  const { boards, save, rename, remove } = useNamedBoards();
  const list = useRef<HTMLUListElement>(null);
  return (
    <section className={classes.panel} aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.title}>
        Boards
      </h2>
      {boards.length === 0 ? (
        <p className={classes.soft}>None yet. Give this one a name to come back to it.</p>
      ) : (
        <ul ref={list} className={classes.list} aria-label="Named boards" tabIndex={-1}>
          {boards.map((board) => (
            <BoardItem
              key={board.name}
              board={board}
              isHere={board === here ? 'yes' : undefined}
              onRename={(name) => problemOf(rename(board.name, name))}
              onRemove={() => {
                // The focus would be lost with the button.
                list.current?.focus({ preventScroll: true });
                remove(board.name);
              }}
            />
          ))}
        </ul>
      )}
      <SaveForm names={boards.map(({ name }) => name)} onSave={(name) => problemOf(save(name, address))} />
      <ShareLink address={address} />
    </section>
  );
}

/** What became of a change, where that has to be said; undefined when it went as wished. */
function problemOf(result: BoardResult): string | undefined {
  switch (result) {
    case 'saved':
      return undefined;
    case 'unkept':
      return 'This browser keeps nothing for this page: the board is gone when it is closed.';
    case 'full':
      return `There are ${MOST_BOARDS} boards, and no more are kept: delete one first.`;
    case 'no-name':
      return `A name has 1 to ${LONGEST_BOARD_NAME} letters.`;
    case 'taken':
      return 'Another board has this name.';
  }
}

function BoardItem({
  board,
  isHere,
  onRename,
  onRemove,
}: {
  board: NamedBoard;
  isHere: 'yes' | undefined;
  /** Tells why not, if so. */
  onRename: (name: string) => string | undefined;
  onRemove: () => void;
}) {
  const [standing, setStanding] = useState<'listed' | 'renaming'>('listed');
  const { name, url } = board;
  if (standing === 'renaming') {
    return (
      <li>
        <NameForm
          label={`New name of ${name}`}
          word="Rename"
          first={name}
          onName={(text) => {
            const problem = onRename(text);
            if (problem === undefined) setStanding('listed');
            return problem;
          }}
          onEnd={() => setStanding('listed')}
        />
      </li>
    );
  }
  const open = (element: HTMLElement) => {
    element.closest<HTMLElement>('[popover]')?.hidePopover();
    setAddress(url, 'push');
  };
  return (
    <li className={classes.item}>
      <button
        type="button"
        className={classes.open}
        aria-current={isHere === undefined ? undefined : 'true'}
        onClick={(event) => open(event.currentTarget)}
      >
        <bdi>{name}</bdi>
      </button>
      <CopyButton value={`${window.location.origin}${url}`} label={`Copy the link of ${name}`} />
      <button
        type="button"
        className="small-button"
        aria-label={`Rename ${name}`}
        onClick={() => setStanding('renaming')}
      >
        Rename
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete ${name}`}
        title="Delete"
        onClick={onRemove}
      >
        <Icon name="close" size={13} />
      </button>
    </li>
  );
}

function SaveForm({
  names,
  onSave,
}: {
  names: readonly string[];
  onSave: (name: string) => string | undefined;
}) {
  return <NameForm label="Save this board as" word="Save" first="" names={names} onName={onSave} />;
}

/** A field for a name, and why it is refused. */
function NameForm({
  label,
  word,
  first,
  names = [],
  onName,
  onEnd,
}: {
  label: string;
  word: string;
  first: string;
  /** Of boards that would be replaced. */
  names?: readonly string[];
  onName: (text: string) => string | undefined;
  /** Where it can be left without a name. */
  onEnd?: () => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(first);
  const [problem, setProblem] = useState<string>();
  const isReplaced = names.includes(boardName(text) ?? '');
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
    <form className={classes.form} onSubmit={submit}>
      <label htmlFor={id} className={first === '' ? classes.label : 'sr-only'}>
        {label}
      </label>
      <input
        ref={field}
        id={id}
        className="small-field"
        value={text}
        maxLength={LONGEST_BOARD_NAME}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || onEnd === undefined) return;
          // Only the renaming ends, not the menu.
          event.preventDefault();
          onEnd();
        }}
      />
      <button type="submit" className="small-button">
        {isReplaced ? 'Replace' : word}
      </button>
      {problem === undefined ? null : (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}

/** The link itself can be selected where the browser lets no page copy. */
function ShareLink({ address }: { address: string }) {
  const id = useId();
  const link = `${window.location.origin}${address}`;
  return (
    <div className={classes.form}>
      <label htmlFor={id} className={classes.label}>
        Link to this board
      </label>
      <input
        id={id}
        className="small-field"
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={link} label="Copy the link to this board" />
    </div>
  );
}
