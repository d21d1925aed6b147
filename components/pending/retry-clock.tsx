'use client';
import { Progress, Stack } from '@mantine/core';
import { useServerNow } from '@/components/ui/clock';
import { MutedInline } from '@/components/ui/text';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { formatAge, formatSpan } from '@/lib/core/time';
import { ageRuleOf, isStuckAge } from '@/lib/pending/rules/thresholds';
import classes from './pending.module.css';

/** Multiple of the last attempt's age, so that its label has room. */
const CLOCK_ROOM = 1.25;
/** Share of the clock before its break, behind which only the present follows, however old the request is. */
const BREAK_SHARE = 0.82;
/** Shares of the retry clock. Of two labels that are nearer, only the later one is shown: always, or on a narrow clock. */
const MIN_MARK_SHARE = 0.15;
const MIN_NARROW_SHARE = 0.22;

type Props = {
  sinceMs: number;
  settings: PendingSettings;
  /** Whether the age is shown elsewhere on the page. */
  isAgeShown?: boolean;
};

export function RetryClock({ sinceMs, settings, isAgeShown = true }: Props) {
  const ageMs = Math.max(0, useServerNow() - sinceMs);
  const rule = ageRuleOf(ageMs, { ms: settings.slowAfterS * 1000 }, settings);
  const roomMs = Math.max(1, settings.stuckAfterS * 1000) * CLOCK_ROOM;
  const isBroken = ageMs > roomMs;
  const endMs = isBroken ? roomMs / BREAK_SHARE : roomMs;
  const shareOf = (ms: number) => Math.min(100, (ms / endMs) * 100);
  const marks = [
    { name: 'slow', ms: settings.slowAfterS * 1000 },
    { name: 'budget', ms: settings.retryBudgetS * 1000 },
    { name: 'last try', ms: settings.stuckAfterS * 1000 },
  ].flatMap((mark, at, all) => {
    const nextMs = Math.min(...all.slice(at + 1).map(({ ms }) => ms));
    const share = (nextMs - mark.ms) / endMs;
    return share < MIN_MARK_SHARE ? [] : [{ ...mark, isClose: share < MIN_NARROW_SHARE }];
  });
  return (
    <Stack gap={4} data-age-rule={rule}>
      <p>
        {isAgeShown ? <strong className="num">{formatAge(ageMs)}</strong> : null}
        <MutedInline>
          {isAgeShown ? ' old · retry' : 'Retry'} budget {formatSpan(settings.retryBudgetS * 1000)},{' '}
          {settings.origin === 'usual' ? 'the keeper’s default' : 'set for this dashboard'}
        </MutedInline>
      </p>
      <div className={classes.clock} aria-hidden="true">
        <Progress
          value={shareOf(ageMs)}
          size="sm"
          color={isStuckAge(rule) ? 'var(--ks-warn)' : 'var(--ks-accent)'}
        />
        {marks.map(({ name, ms, isClose }) => (
          <span key={name} data-close={isClose || undefined} style={{ insetInlineStart: `${shareOf(ms)}%` }}>
            {name} {formatSpan(ms)}
          </span>
        ))}
        {isBroken ? (
          <>
            <i style={{ insetInlineStart: `${BREAK_SHARE * 100}%` }} />
            <b>now</b>
          </>
        ) : null}
      </div>
    </Stack>
  );
}
