'use client';
import { FindField } from '@/components/ui/find-field';
import { LiveControls } from '@/components/ui/live-controls';
import { SortField } from '@/components/ui/sort-field';
import type { BoardLook } from '@/lib/client/feed-choice';
import {
  BOARD_SIZES,
  BOARD_SORTS,
  BOARD_WINDOWS,
  type BoardSize,
  type BoardSort,
  type BoardWindow,
  findText,
} from '@/lib/contract/codec/feeds-url';
import classes from './board-tools.module.css';
import choiceClasses from './choices.module.css';
import type { ShowBoard } from './use-board';

const SORT_WORDS: Record<BoardSort, string> = {
  hand: 'As arranged',
  symbol: 'Symbol, A to Z',
  change: 'Change, greatest rise first',
  confidence: 'Confidence, widest first',
  age: 'Age, oldest first',
};

const WINDOW_WORDS: Record<BoardWindow, string> = {
  '1m': '1 min',
  '5m': '5 min',
  '15m': '15 min',
  '30m': '30 min',
};

const SIZE_WORDS: Record<BoardSize, string> = { s: 'Small', m: 'Medium', l: 'Large' };

/** Which tiles are shown, in which order and size, and how far back they look. */
export function BoardTools({
  look,
  count,
  show,
}: {
  look: BoardLook;
  /** How many tiles there are, and how many of them are shown. */
  count: { readonly all: number; readonly shown: number };
  show: ShowBoard;
}) {
  const change = (part: Partial<BoardLook>, how: 'push' | 'replace') =>
    show((now) => ({ ...now, look: { ...now.look, ...part } }), how);
  return (
    <LiveControls>
      <div className={classes.tools}>
        <FindField
          label="Filter tiles"
          placeholder="Filter tiles"
          icon="filter"
          className={classes.find}
          text={look.find}
          read={findText}
          onFind={(find) => change({ find }, 'replace')}
        >
          <span role="status" className={classes.found}>
            {look.find === '' ? undefined : `${count.shown} of ${count.all}`}
          </span>
        </FindField>
        <SortField
          sorts={BOARD_SORTS}
          words={SORT_WORDS}
          sort={look.sort}
          onSort={(sort) => change({ sort }, 'push')}
        />
        <Choice
          label="Window"
          choices={Object.keys(BOARD_WINDOWS) as BoardWindow[]}
          words={WINDOW_WORDS}
          chosen={look.window}
          onChoose={(window) => change({ window }, 'push')}
        />
        <Choice
          label="Tiles"
          choices={BOARD_SIZES}
          words={SIZE_WORDS}
          chosen={look.size}
          onChoose={(size) => change({ size }, 'push')}
        />
      </div>
    </LiveControls>
  );
}

function Choice<T extends string>({
  label,
  choices,
  words,
  chosen,
  onChoose,
}: {
  label: string;
  choices: readonly T[];
  words: Record<T, string>;
  chosen: T;
  onChoose: (choice: T) => void;
}) {
  return (
    <fieldset className={classes.labelled}>
      {/* A legend does not stand in one line with what it names. */}
      <legend className="sr-only">{label}</legend>
      <span aria-hidden="true" className={classes.label}>
        {label}
      </span>
      <div className={choiceClasses.choices}>
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            className={choiceClasses.choice}
            aria-pressed={choice === chosen}
            onClick={() => onChoose(choice)}
          >
            {words[choice]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
