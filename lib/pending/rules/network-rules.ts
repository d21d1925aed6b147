import { groupedBy } from '@/lib/core/grouped';
import { DAY_MS, formatSpan, MINUTE_MS } from '@/lib/core/time';
import { RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import {
  distinctRows,
  type Evidence,
  finishedAfterMs,
  isCompleted,
  keysOf,
  queriesUsed,
  rowsOf,
} from './evidence';
import { type Rule, withEvidence } from './rule';
import { RULE } from './rule-ids';
import { doesNotHold, type Figure, figure, holds, unknownVerdict, type Verdict } from './verdict';

const LATE_TOGETHER = 3;

/** At least 3 requests took longer than `stuckAfterS` and completed in one minute of this request's life. */
export const lateRecoveryRule: Rule = {
  reads: ['finished'],
  find: ({ request, evidence: { window, finished }, settings: { stuckAfterS } }) => {
    const around = queriesUsed(['window', window]);
    const late = distinctRows(rowsOf(finished), rowsOf(window)).filter(
      (row) => isCompleted(row) && (finishedAfterMs(row) ?? 0) > stuckAfterS * 1000,
    );
    const byMinute = groupedBy(
      late,
      ({ updatedAt }) => Math.floor((updatedAt?.ms ?? 0) / MINUTE_MS) * MINUTE_MS,
    );
    const all = [...byMinute].filter(([, rows]) => rows.length >= LATE_TOGETHER);
    const [recovery] = all
      .filter(([minuteMs]) => minuteMs + MINUTE_MS > request.createdAt.ms)
      .sort(([at, rows], [otherAt, others]) => others.length - rows.length || otherAt - at);
    if (recovery === undefined) {
      const since = all.length === 0 ? '' : ' since this request came';
      return doesNotHold(RULE.lateRecovery, `No late recovery is logged${since}`, { evidence: around });
    }
    const [minuteMs, rows] = recovery;
    return holds(
      RULE.lateRecovery,
      'notice',
      'Old requests completed in the same minute, and this one did not',
      {
        figures: [
          figure('Recovered at', minuteMs, 'moment'),
          figure('Recovered in that minute', rows.length, 'rows'),
          figure('Late means over', stuckAfterS * 1000, 'ms'),
        ],
        proof: keysOf(rows),
        evidence: around,
      },
    );
  },
};

/** Silence of more than 10 min and seven mean gaps of the 24 h before it, which must have 50 rows. */
export const SILENCE = { minMs: 10 * 60_000, gaps: 7, rowsOfDay: 50 } as const;

export function meanGapMs(rowsOfDay: number): number | undefined {
  return rowsOfDay > 0 ? DAY_MS / rowsOfDay : undefined;
}

/** Silence that counts as quiet, by number of requests in the 24 h before; undefined if they are too few. */
export function quietAfterMs(rowsOfDay: number): number | undefined {
  const gapMs = meanGapMs(rowsOfDay);
  if (gapMs === undefined || rowsOfDay < SILENCE.rowsOfDay) return undefined;
  return Math.max(SILENCE.minMs, SILENCE.gaps * gapMs);
}

/** The silence ends at the query for the newest row: later rows are unknown. */
function findSilence({ newest, lastDay }: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  const row = newest.kind === 'known' ? newest.value : undefined;
  if (newest.kind === 'missing' || lastDay.kind === 'missing' || !row) {
    return unknownVerdict(RULE.networkQuiet, 'the network has no rows at all');
  }
  const gapMs = meanGapMs(lastDay.value);
  const silentMs = Math.max(0, newest.atMs - row.createdAt.ms);
  const figures: Figure[] = [
    figure('Last request', row.createdAt.ms, 'moment'),
    figure('Silent for', silentMs, 'ms'),
    figure('Requests in 24 h before', lastDay.value, 'rows'),
    ...(gapMs === undefined ? [] : [figure('Average interval', gapMs, 'ms')]),
  ];
  if (silentMs > RETIRED_AFTER_MS) {
    return unknownVerdict(
      RULE.networkQuiet,
      `silent for over ${formatSpan(RETIRED_AFTER_MS)}, as if retired`,
      {
        figures,
      },
    );
  }
  const limitMs = quietAfterMs(lastDay.value);
  if (gapMs === undefined || limitMs === undefined) {
    const why = `only ${lastDay.value} requests in its last 24 hours; ${SILENCE.rowsOfDay} are needed`;
    return unknownVerdict(RULE.networkQuiet, why, { figures });
  }
  const basis = { figures: [...figures, figure('Quiet after', limitMs, 'ms')] };
  if (silentMs <= limitMs) return doesNotHold(RULE.networkQuiet, 'Not silent for longer than usual', basis);
  const silence = `Nothing logged for ${formatSpan(silentMs)}, on average every ${formatSpan(gapMs)}`;
  const headline = `${silence}: no demand, or nothing is captured`;
  return holds(RULE.networkQuiet, 'warning', headline, { proof: [row.key], ...basis });
}

const SILENCE_READS = ['newest', 'lastDay'] as const;
export const networkQuietRule: Rule = { reads: SILENCE_READS, find: ({ evidence }) => findSilence(evidence) };

export function silenceVerdict(evidence: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  return withEvidence(RULE.networkQuiet, SILENCE_READS, evidence, findSilence(evidence));
}
