'use client';
import { useEffect, useState } from 'react';
import type { Mark } from '@/lib/client/following';
import classes from './row-mark.module.css';

/** The marks of one answer, and the rows whose mark has been seen. */
export type MarksRound = {
  readonly number: number;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly seen: Set<string>;
};

/** A new round with every answer: what is marked once more is shown once more. */
export function useMarksRound(marks: ReadonlyMap<string, Mark>): MarksRound {
  const [round, setRound] = useState<MarksRound>(() => ({ number: 0, marks, seen: new Set() }));
  if (round.marks === marks) return round;
  const next = { number: round.number + 1, marks, seen: new Set<string>() };
  setRound(next);
  return next;
}

/** The mark of a row that is about to be drawn: once only, though the row comes and goes as the table is scrolled. */
export function markOf({ marks, seen }: MarksRound, rowKey: string): Mark | undefined {
  return seen.has(rowKey) ? undefined : marks.get(rowKey);
}

/** The word, which fades by itself. */
export function RowMark({ word, rowKey, round }: { word: Mark; rowKey: string; round: MarksRound }) {
  const { seen } = round;
  useEffect(() => {
    seen.delete(rowKey);
    return () => {
      seen.add(rowKey);
    };
  }, [seen, rowKey]);
  return (
    <span className={classes.mark} data-word={word}>
      <span className={classes.word}>{word}</span>
    </span>
  );
}
