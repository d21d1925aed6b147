'use client';
import { useMemo } from 'react';
import type { Figure } from '@/lib/domain/diagnosis/verdict';
import { linkOfKey } from '@/lib/requests/request-address';
import { logsCallAsCurl } from './curl';
import { clipped } from './foreign-text';
import { groupDigits } from './human-number';
import { formatDuration } from './human-time';
import { useSteadyWords } from './time-style';

/** A figure for people: lengths of time in two units, counts with groups of digits, texts of strangers made harmless. */
export function figureText({ value, unit }: Figure, moment: (ms: number) => string): string {
  switch (unit) {
    case 'ms':
      return formatDuration(Number(value));
    case 'moment':
      return moment(Number(value));
    case 'percent':
      return `${value} %`;
    case 'hex':
      return clipped(String(value), 100);
    case 'text':
      return clipped(String(value), 300);
    default:
      return groupDigits(String(value));
  }
}

/** What a list of verdicts needs from the page that it stands on; the same object until the way of showing times changes. */
export function useVerdictWords() {
  const moment = useSteadyWords();
  return useMemo(
    () => ({
      moment,
      figure: (figure: Figure) => figureText(figure, moment),
      curl: (query: string) => logsCallAsCurl(new URLSearchParams(query)),
      request: linkOfKey,
    }),
    [moment],
  );
}
