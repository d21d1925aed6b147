import { clipped } from '@/lib/core/text';
import { parseIsoTime } from '@/lib/core/time';
import { type TimeStyle, typedMoment } from '@/lib/core/time-text';
import { STATE_WORDS, stateLabel } from './state-looks';
import type { RequestsView, TimeFilter } from './view';
import { rangeText, typedRange } from './view-labels';

export type Meaning = {
  what: 'Time' | 'Network' | 'State' | 'Failure';
  words: string;
  change: Partial<Pick<RequestsView, 'time' | 'networks' | 'states' | 'failures'>>;
};

const SYNONYMS: Record<string, string> = { pending: 'stuck', 'callback-failed': 'reverted' };
const MAX_NAMES = 6;

const timeMeaning = (words: string, time: TimeFilter): Meaning => ({ what: 'Time', words, change: { time } });

/** `45m`, `yesterday 14:00`, `2026-11-20 to 2026-11-21 08:00`. */
function timeMeanings(input: string, style: TimeStyle, nowMs: number): Meaning[] {
  const range = typedRange(input);
  if (range !== undefined) return [timeMeaning(rangeText(range), { kind: 'last', range })];
  const text = input.replace(/^(?:since|from)\s+/i, '');
  const ends = text.split(/\s+(?:to|until|–)\s+/i).map((end) => typedMoment(end, style, nowMs));
  const [from, to] = ends;
  if (from === undefined || ends.length > 2 || ends.includes(undefined)) return [];
  if (to === undefined) return [timeMeaning(`since ${text}`, { kind: 'between', from })];
  const isReversed = (parseIsoTime(to) ?? 0) < (parseIsoTime(from) ?? 0);
  return isReversed ? [] : [timeMeaning(text, { kind: 'between', from, to })];
}

type SearchContext = {
  networks: readonly { networkId: string; name: string }[];
  style: TimeStyle;
  nowMs: number;
  /** Failure groups that contain the search text. */
  failures: readonly string[];
};

/** Meanings of a search text that is not an id; the most likely first. */
export function searchMeanings(text: string, { networks, style, nowMs, failures }: SearchContext): Meaning[] {
  const find = text.trim().toLowerCase();
  if (find.length < 2) return [];
  const named = networks
    .filter(({ name }) => name.toLowerCase().includes(find))
    .sort((a, b) => Number(b.name.toLowerCase() === find) - Number(a.name.toLowerCase() === find));
  const states = STATE_WORDS.filter((state) =>
    `${stateLabel(state)} ${SYNONYMS[state] ?? ''}`.toLowerCase().includes(find),
  );
  return [
    ...timeMeanings(text.trim(), style, nowMs),
    ...named.slice(0, MAX_NAMES).map(({ networkId, name }): Meaning => {
      return { what: 'Network', words: clipped(name, 60), change: { networks: [networkId] } };
    }),
    ...states.map((state): Meaning => {
      return { what: 'State', words: stateLabel(state), change: { states: [state] } };
    }),
    ...failures.slice(0, MAX_NAMES).map((failure): Meaning => {
      return { what: 'Failure', words: clipped(failure, 80), change: { failures: [failure] } };
    }),
  ];
}
