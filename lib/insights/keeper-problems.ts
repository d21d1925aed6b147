import { groupedBy } from '@/lib/core/grouped';
import { isClockSkewed } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { DAY_MS, formatAge, MINUTE_MS } from '@/lib/core/time';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { newProblem, type Problem, type ProblemInput } from './problem';

/** `/services` and exports report a loss of rows for longer. */
const LOSS_SHOWN_MS = DAY_MS;

/** One line for keepers with the same problem, dated by the first of them. */
export function mergeKeepers(keepers: readonly Problem[]): Problem[] {
  const same = groupedBy(keepers, ({ level, text }) => `${level} ${text}`);
  return [...same.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const all = [first, ...others];
    const since = all.flatMap(({ sinceMs }) => sinceMs ?? []);
    const details = new Set(all.map(({ detail }) => detail));
    const name = ({ about }: Problem) => about.replace(/^Keeper /, '');
    const named = all.flatMap((problem) =>
      problem.detail === '' ? [] : `${name(problem)}: ${problem.detail}`,
    );
    const detail = details.size === 1 ? first.detail : named.join(' ');
    return {
      ...first,
      id: all.map(({ id }) => id).join(),
      about: `Keepers ${all.map(name).join(', ')}`,
      sinceMs: since.length === 0 ? null : Math.min(...since),
      ...(new Set(since).size > 1 ? { isOfOldest: true } : {}),
      detail: clipped(detail, 200),
      ofEach: all.map(({ id, about, sinceMs, detail }) => ({ id, about, sinceMs, detail })),
    };
  });
}

/** One failed call of a fresh keeper is not yet a problem. */
export const isLogFresh = ({ syncedAtMs }: KeeperStatus, nowMs: number) =>
  syncedAtMs !== null && nowMs - syncedAtMs <= STALE_AFTER_MS;

/** Judged at the time of each status: at the present time, an old status would make every keeper look late. */
export function keeperProblems({ index, nowMs }: ProblemInput): Problem[] {
  return index.flatMap((status): Problem[] => {
    const { keeper, state, syncedAtMs, failure, late } = status;
    const about = `Keeper ${clipped(keeper, 40)}`;
    const isLost = status.lost !== null && nowMs - status.lost.sinceMs < LOSS_SHOWN_MS;
    const lost = [
      ...(isLost && status.lost !== null ? [lostProblem(about, keeper, status.lost)] : []),
      ...vanishedProblem(about, status, nowMs),
    ];
    const isBlip = failure !== null && isLogFresh(status, nowMs);
    if (isBlip || (failure === null && state !== 'stale' && state !== 'failing')) return lost;
    if (failure === null && late === 'dashboard') return [...lost, busyProblem(about, keeper, syncedAtMs)];
    return [
      ...lost,
      newProblem({
        id: `keeper/${keeper}`,
        kind: 'keeper',
        level: 'bad',
        href: '/services',
        about,
        text: syncedAtMs === null ? 'not synced yet' : 'not synced',
        sinceMs: syncedAtMs,
        detail: failure === null ? 'Slow to answer' : clipped(failure.detail, 200),
      }),
    ];
  });
}

/** Nobody needs to wake the keeper's on-call engineer for a delay of the dashboard. */
const busyProblem = (about: string, keeper: string, sinceMs: number | null) =>
  newProblem({
    id: `late/${keeper}`,
    kind: 'keeper',
    level: 'warning',
    href: '/services',
    about,
    sinceMs,
    text: 'not synced',
    detail: 'Dashboard is busy',
  });

const lostProblem = (about: string, keeper: string, lost: NonNullable<KeeperStatus['lost']>) =>
  newProblem({
    id: `lost/${keeper}`,
    kind: 'keeper',
    level: 'bad',
    href: '/services',
    about,
    text: `answers ${groupDigits(lost.theirs)} of ${countOf(lost.ours, 'request')}`,
    sinceMs: lost.sinceMs,
    detail: 'Its store was emptied, replaced or damaged. What it served before is kept',
  });

/** A problem that lasts while the rows are read again, or for a day if the keeper no longer has them. */
function vanishedProblem(
  about: string,
  { keeper, vanished, history }: KeeperStatus,
  nowMs: number,
): Problem[] {
  if (vanished === null || (history === null && nowMs - vanished.sinceMs >= LOSS_SHOWN_MS)) return [];
  const { rows, left, sinceMs } = vanished;
  const text =
    left === 0
      ? `${countOf(rows, 'request')} vanished from its index`
      : `${countOf(left, 'request')} missing from its index`;
  const detail = history === null ? 'The keeper no longer has them' : 'Its history is read again';
  return [
    newProblem({
      id: `vanished/${keeper}`,
      kind: 'keeper',
      level: 'bad',
      href: '/services',
      about,
      text,
      sinceMs,
      detail,
    }),
  ];
}

/** Ages and silence are measured by the clock of the rows, so a wrong clock causes no other problem. */
export function clockProblems({ clocks = [] }: ProblemInput): Problem[] {
  return clocks.flatMap(({ keeper, answersMs, rowsMs }) => {
    if (answersMs === 0 && rowsMs === 0) return [];
    const areOneClock = !isClockSkewed(answersMs - rowsMs);
    const subject = areOneClock ? 'clock is' : answersMs === 0 ? 'rows are dated' : 'answers are dated';
    const offByMs = answersMs === 0 ? rowsMs : answersMs;
    const age = formatAge(Math.round(Math.abs(offByMs) / MINUTE_MS) * MINUTE_MS);
    return newProblem({
      id: `clock/${keeper}`,
      kind: 'keeper',
      level: 'warning',
      href: '/services',
      about: `Keeper ${clipped(keeper, 40)}`,
      text: `${subject} ${age} ${offByMs > 0 ? 'ahead' : 'behind'}`,
      detail: areOneClock
        ? 'By the dates of its answers. Silence and stuck requests are judged by it, ages shown by ours; either clock may be off'
        : 'Answers and rows differ. Silence and stuck requests are judged by the dates of rows, ages shown by our clock',
    });
  });
}
