import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { StateWord } from '@/lib/domain/request-record';
import { count, finite, list, optional, readAnswer, shape, text } from './triage-members';

/** Where the overview asks again. */
export const OVERVIEW_ADDRESS = '/api/view/overview';

/** What is counted: so much of the past, in milliseconds. */
export const COUNTED_MS = 3_600_000;

export type StateCounts = Record<StateWord, number>;

/** The requests of a keeper in the last hour by state, from the index. */
export type KeeperCounts = {
  keeper: string;
  counts: StateCounts;
  /** Unix ms: when its rows were last read; absent before the first time. */
  syncedAtMs?: number;
};

/** Answer of `GET /api/view/overview`. */
export type CountsAnswer = {
  /** Of the index. */
  revision: number;
  /** Unix ms. */
  atMs: number;
  keepers: KeeperCounts[];
};

const answerMember = shape<CountsAnswer>({
  revision: count,
  atMs: finite,
  keepers: list(
    shape<KeeperCounts>({
      keeper: text,
      counts: shape<StateCounts>({
        pending: count,
        completed: count,
        'callback-failed': count,
        failed: count,
      }),
      syncedAtMs: optional(finite),
    }),
  ),
});

/** Fails with `malformed` when it is none of ours. */
export function readCounts(answer: string): Outcome<CountsAnswer> {
  const read = readAnswer(answer, answerMember);
  return read === undefined
    ? failed({ kind: 'malformed', detail: 'The counts of the last hour cannot be read.' })
    : ok(read);
}
