import { recogniseQuery } from '@/lib/core/log-query';
import { clipped, shortened } from '@/lib/core/text';
import { parseIsoTime } from '@/lib/core/time';
import { type TimeStyle, typedMoment } from '@/lib/core/time-text';
import { type RequestsView, type TimeFilter, withFilter } from './view';
import { rangeText, STATE_LABELS, typedRange } from './view-labels';

/** One meaning of what stands in the search: `what` it is, `words` for it, and the view that it leads to. */
export type Meaning = { what: string; words: string; change: (view: RequestsView) => RequestsView };

export const QUERY_LABELS = { transaction: 'Transaction', address: 'Address', sequence: 'Sequence' };
const SYNONYMS: Record<string, string> = { pending: 'stuck', 'callback-failed': 'reverted' };
const MOST_NAMES = 6;

function queryMeaning(text: string): Meaning[] {
  const query = recogniseQuery(text);
  if (!('canonical' in query)) return [];
  const { kind, canonical } = query;
  const change = (view: RequestsView) => withFilter(view, { q: canonical });
  return [{ what: QUERY_LABELS[kind], words: shortened(canonical), change }];
}

const timeMeaning = (words: string, time: TimeFilter): Meaning => ({
  ...{ what: 'Time', words },
  change: (view) => withFilter(view, { time, q: '' }),
});

/** `45m`, `yesterday 14:00`, `2026-11-20 to 2026-11-21 08:00`. */
function timeMeanings(given: string, style: TimeStyle, nowMs: number): Meaning[] {
  const range = typedRange(given);
  if (range !== undefined) return [timeMeaning(rangeText(range), { kind: 'last', range })];
  const text = given.replace(/^(?:since|from)\s+/i, '');
  const ends = text.split(/\s+(?:to|until|–)\s+/i).map((end) => typedMoment(end, style, nowMs));
  const [from, to] = ends;
  if (from === undefined || ends.length > 2 || ends.includes(undefined)) return [];
  if (to === undefined) return [timeMeaning(`since ${text}`, { kind: 'between', from })];
  const isReversed = (parseIsoTime(to) ?? 0) < (parseIsoTime(from) ?? 0);
  return isReversed ? [] : [timeMeaning(text, { kind: 'between', from, to })];
}

type Known = {
  networks: readonly { networkId: string; name: string }[];
  style: TimeStyle;
  nowMs: number;
  /** Groups of failures in whose text it was found. */
  failures: readonly string[];
};

/** What a search text can mean, the likeliest first: an id, a time, a network, a state, a failure. */
export function meaningsOf(text: string, { networks, style, nowMs, failures }: Known): Meaning[] {
  const find = text.trim().toLowerCase();
  const query = queryMeaning(text);
  if (query.length > 0 || find.length < 2) return query;
  const named = networks
    .filter(({ name }) => name.toLowerCase().includes(find))
    .sort((a, b) => Number(b.name.toLowerCase() === find) - Number(a.name.toLowerCase() === find))
    .slice(0, MOST_NAMES);
  return [
    ...timeMeanings(text.trim(), style, nowMs),
    ...named.map(({ networkId, name }) => ({
      ...{ what: 'Network', words: clipped(name, 60) },
      change: (view: RequestsView) => withFilter(view, { networks: [networkId], q: '' }),
    })),
    ...Object.entries(STATE_LABELS)
      .filter(([state, label]) => `${label} ${SYNONYMS[state] ?? ''}`.toLowerCase().includes(find))
      .map(([state, label]) => ({
        ...{ what: 'State', words: label },
        change: (view: RequestsView) => withFilter(view, { states: [state], q: '' }),
      })),
    ...failures.slice(0, MOST_NAMES).map((failure) => ({
      ...{ what: 'Failure', words: clipped(failure, 80) },
      change: (view: RequestsView) => withFilter(view, { failures: [failure], q: '' }),
    })),
  ];
}
