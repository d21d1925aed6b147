'use client';
import type { RefObject } from 'react';
import { choiceKey, type FeedChoice } from '@/lib/client/feed-choice';
import { BOARD_WINDOWS, type BoardSize, type BoardWindow } from '@/lib/contract/codec/feeds-url';
import classes from './board-grid.module.css';
import { CardFrame, CardNotice, NoFacts, NoPrice } from './card-frame';
import { FeedCard } from './feed-card';
import { type TileMove, useBoardMoves } from './use-board-moves';
import type { FeedTimes } from './use-currency';

/** The tiles of a board, in their order. */
export function BoardGrid({
  grid,
  choices,
  look,
  times,
  search,
  onMove,
  onRemove,
}: {
  grid: RefObject<HTMLDivElement | null>;
  choices: readonly FeedChoice[];
  look: { readonly window: BoardWindow; readonly size: BoardSize };
  times: FeedTimes;
  /** Whether names that are not known may still be found. */
  search: 'going on' | 'over';
  onMove: (move: TileMove) => void;
  onRemove: (key: string) => void;
}) {
  const { drag, handlers } = useBoardMoves(grid, choices.map(choiceKey), onMove);
  return (
    <div ref={grid} className={classes.grid} data-size={look.size} {...handlers}>
      {choices.map((choice) => {
        const key = choiceKey(choice);
        return (
          <div
            key={key}
            className={classes.tile}
            data-tile={key}
            data-drag={drag?.key === key ? 'taken' : undefined}
            data-drop={drag?.over?.target === key ? drag.over.side : undefined}
          >
            {choice.kind === 'feed' ? (
              <FeedCard
                feed={choice.feed}
                times={times}
                windowMs={BOARD_WINDOWS[look.window]}
                arrange="possible"
                onRemove={onRemove}
              />
            ) : (
              <UnnamedCard text={choice.text} search={search} onRemove={() => onRemove(key)} />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** A text in the URL that is no symbol of any feed we know, or not yet. */
function UnnamedCard({
  text,
  search,
  onRemove,
}: {
  text: string;
  search: 'going on' | 'over';
  onRemove: () => void;
}) {
  return (
    <CardFrame
      name={text}
      detail={undefined}
      state={search === 'over' ? 'missing' : 'looking'}
      arrange="possible"
      onRemove={onRemove}
    >
      <NoPrice />
      <CardNotice>
        {search === 'over'
          ? 'No feed has this symbol. Search for it above, give its id instead, or remove it; the others go on.'
          : 'Asking the services which feed this is.'}
      </CardNotice>
      <NoFacts />
    </CardFrame>
  );
}
