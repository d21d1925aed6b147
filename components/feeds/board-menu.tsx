'use client';
import { ActionIcon, Button, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { setAddress } from '@/components/ui/use-address';
import {
  type BoardResult,
  boardAddress,
  boardName,
  LONGEST_BOARD_NAME,
  MOST_BOARDS,
  type NamedBoard,
  useNamedBoards,
} from '@/lib/feeds/client/named-boards';
import classes from './board.module.css';

/** The boards of this browser behind a button that says which of them is shown. @param address of the board on screen */
export function BoardMenu({ address }: { address: string }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { boards, save, rename, remove } = useNamedBoards();
  const list = useRef<HTMLUListElement>(null);
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
          Boards{here === undefined ? null : <bdi className={classes.here}> {here.name}</bdi>}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Boards" p="sm">
        {boards.length === 0 ? (
          <p className={classes.soft}>No boards. Name this one to come back to it.</p>
        ) : (
          <ul ref={list} className={classes.boards} aria-label="Named boards" tabIndex={-1}>
            {boards.map((board) => (
              <BoardItem
                key={board.name}
                board={board}
                isHere={board === here}
                onOpen={() => {
                  close();
                  setAddress(board.url, 'push');
                }}
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
    <li className={classes.item}>
      <UnstyledButton className={classes.open} aria-current={isHere ? 'true' : undefined} onClick={onOpen}>
        <bdi>{name}</bdi>
      </UnstyledButton>
      <CopyButton value={`${window.location.origin}${url}`} label={`Copy the link of ${name}`} />
      <Button size="compact-xs" aria-label={`Rename ${name}`} onClick={open}>
        Rename
      </Button>
      <ActionIcon aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
        <Icon name="close" size={13} />
      </ActionIcon>
    </li>
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
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        ref={field}
        label={label}
        className={classes.field}
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
    </form>
  );
}

/** The link itself can be selected where the browser lets no page copy. */
function ShareLink({ address }: { address: string }) {
  const link = `${window.location.origin}${address}`;
  return (
    <div className={classes.form}>
      <TextInput
        label="Link to this board"
        className={classes.field}
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={link} label="Copy the link to this board" />
    </div>
  );
}
