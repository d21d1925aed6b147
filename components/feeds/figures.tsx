import { Badge } from '@mantine/core';
import type { ClipboardEvent, ReactNode } from 'react';
import { useNow, useTicking } from '@/components/ui/clock';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import {
  countOf,
  differenceInBps,
  formatScaled,
  percentText,
  roundScaled,
  type ScaledInteger,
  subtractScaled,
} from '@/lib/core/numbers';
import { DAY_MS, formatSpan } from '@/lib/core/time';
import { isDayOld } from '@/lib/feeds/client/day-ago';
import {
  exactText,
  type FeedPoint,
  shortText,
  type TimeRange,
  windowExtremes,
  windowStart,
} from '@/lib/feeds/client/history';
import { usePage } from '@/lib/feeds/client/hooks';
import type { FeedView } from '@/lib/feeds/client/store';
import { updateCount } from '@/lib/feeds/client/thinning';
import { confidenceInBps } from '@/lib/feeds/client/update-rows';
import { type FeedGap, GAPS, gapCounts } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import classes from './feeds.module.css';

export const FEED_STATES = {
  fresh: { label: 'Current', icon: 'check', tone: 'good' },
  late: { label: 'Late', icon: 'clock', tone: 'wait' },
  stale: { label: 'Stale', icon: 'alert', tone: 'warn' },
  closed: { label: 'Market closed', icon: 'moon', tone: 'idle' },
  inactive: { label: 'Not published', icon: 'dash', tone: 'idle' },
  misdated: { label: 'Bad publish time', icon: 'alert', tone: 'warn' },
  unavailable: { label: 'No price', icon: 'alert', tone: 'warn' },
  held: { label: 'Last received', icon: 'clock', tone: 'idle' },
  waiting: { label: 'Waiting', icon: 'dotted', tone: 'idle' },
  searching: { label: 'Searching', icon: 'search', tone: 'idle' },
  missing: { label: 'Unknown feed', icon: 'question', tone: 'warn' },
} as const satisfies Record<string, { label: string; icon: IconName; tone: string }>;
export type FeedState = keyof typeof FEED_STATES;

export function FeedStateBadge({ state, current }: { state: FeedState; current?: string }) {
  const { label, icon, tone } = FEED_STATES[state];
  return (
    <Badge color={tone} leftSection={<Icon name={icon} size={12} />} flex="none">
      {state === 'fresh' ? (current ?? label) : label}
    </Badge>
  );
}

export const NO_VALUE = <span className="faint">—</span>;

type FigureProps = {
  name: string;
  /** Text beside the name. */
  hint?: string;
  more?: ReactNode;
  children: ReactNode;
};

/** A figure of a `dl`. A dash stands for an unknown value. */
export function FeedFigure({ name, hint, more, children }: FigureProps) {
  return (
    <div data-fact={name}>
      <dt>{hint === undefined ? name : `${name}, ${hint}`}</dt>
      <dd>{children ?? NO_VALUE}</dd>
      {more === undefined ? null : <dd className={classes.more}>{more}</dd>}
    </div>
  );
}

export const LOADED_PART = 'Of the part of the window that is loaded';
export const SAMPLED = 'Part of the window is sampled: true extremes, and gaps, may lie between samples';

/** The size of a confidence matters more than its last digits, which are in the tooltip. */
const CONFIDENCE_DIGITS = 3;

export function Spread({ latest, hasMore }: { latest: PriceUpdate | undefined; hasMore?: boolean }) {
  const ema = latest?.ema;
  const bps = ema && differenceInBps(ema, latest.price);
  return (
    <>
      <FeedFigure
        name="Confidence"
        more={latest && <span style={{ whiteSpace: 'nowrap' }}>{confidenceInBps(latest)}</span>}
      >
        {latest && (
          <>
            ±<ShortNumber value={latest.conf} figure="confidence" digits={CONFIDENCE_DIGITS} />
          </>
        )}
      </FeedFigure>
      <FeedFigure name="EMA" more={hasMore && bps && <>{percentText(bps)} of price</>}>
        {ema && <ShortNumber value={ema} figure="ema" />}
      </FeedFigure>
    </>
  );
}

/** `figure` is the name of the number in its card, for styles and tests. */
type NumberProps = {
  value: ScaledInteger;
  figure: 'price' | 'confidence' | 'ema' | 'extreme';
  digits?: number;
  /** Added to the tooltip. */
  note?: string;
};

/** Digits beyond those of `shortText` are smaller. The commas are drawn by CSS, so copied text has none. */
export function ExactNumber({ value, figure }: NumberProps) {
  const text = formatScaled(value);
  const [, sign = '', whole = text, decimals = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  const length = text.length <= 14 ? 'short' : text.length <= 20 ? 'medium' : 'long';
  const mainLength = shortText(value).split('.')[1]?.length ?? 0;
  return (
    <span className="num" style={{ overflowWrap: 'anywhere' }} data-figure={figure} data-length={length}>
      {sign}
      {whole.split(/(?=(?:\d{3})+$)/).map((digits, at, groups) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place before the point
        <span key={groups.length - at} className={classes.digits}>
          {digits}
        </span>
      ))}
      {decimals.slice(0, mainLength + 1)}
      <span className={classes.tail}>{decimals.slice(mainLength + 1)}</span>
    </span>
  );
}

/** The number's tooltip and the clipboard (`copyExact`) have every digit. */
export function ShortNumber({ value, figure, digits, note }: NumberProps) {
  return (
    <data
      className={`num ${classes.short}`}
      value={formatScaled(value)}
      title={note ? `${exactText(value)}\n${note}` : exactText(value)}
      data-figure={figure}
    >
      {shortText(value, digits)}
    </data>
  );
}

/** Copies the full value if the selection lies within a `ShortNumber`. */
export function copyExact(event: ClipboardEvent): void {
  const { anchorNode, focusNode } = window.getSelection() ?? {};
  const number = anchorNode?.parentElement?.closest('data');
  if (number == null || focusNode == null || !number.contains(focusNode)) return;
  event.preventDefault();
  event.clipboardData.setData('text/plain', number.value);
}

const UNIT_NAMES = { ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' } as const;

/** The fault of a publish time in words: `365 d ahead`, `in milliseconds`. */
function misdatingText({ misdating, publishTimeS, receivedMs }: PriceUpdate): string {
  if (misdating === 'ms' || misdating === 'us' || misdating === 'ns') return `in ${UNIT_NAMES[misdating]}`;
  return `${formatSpan(Math.abs(publishTimeS * 1000 - receivedMs))} ${misdating ?? ''}`;
}

export function Misdated({ misdated }: Pick<FeedView, 'misdated'>) {
  if (misdated === undefined) return null;
  return (
    <FeedFigure name="Bad publish times">
      <span style={{ color: 'var(--ks-warn)' }} title="Not charted, and not ordered by time">
        {misdated.count}, last {misdatingText(misdated.last)}
      </span>
    </FeedFigure>
  );
}

type MoveProps = {
  from: PriceUpdate;
  to: PriceUpdate;
  className?: string | undefined;
  title?: string;
  figure?: 'move' | 'day-move';
};

/** Renders nothing for a change from zero. */
export function Move({ from, to, className = '', figure = 'move', ...more }: MoveProps) {
  const bps = differenceInBps(to.price, from.price);
  if (bps === undefined) return null;
  const text = percentText(bps);
  return (
    <span
      {...more}
      data-figure={figure}
      className={`num ${className}`}
      style={{ color: `var(--ks-${toneOf(text)})` }}
    >
      {text}
    </span>
  );
}

const toneOf = (text: string) =>
  text.startsWith('+') ? 'good' : text.startsWith('−') ? 'bad' : 'text-faint';

/** A difference with the decimals of the price's short text: `+15.21`. */
function amountText(from: PriceUpdate, to: PriceUpdate): string {
  const decimals = shortText(to.price).split('.')[1]?.length ?? 0;
  const amount = roundScaled(subtractScaled(to.price, from.price), decimals);
  const text = formatScaled(amount, { groupSeparator: ',' }).replace('-', '−');
  return amount.mantissa > 0n ? `+${text}` : text;
}

export const windowName = (ms: number) => (ms === DAY_MS ? '24 h' : formatSpan(ms));

type WindowMoveProps = {
  latest: PriceUpdate;
  windowMs: number;
  /** End of the window by the publish clock, unix ms; if absent, now. */
  nowMs?: number | undefined;
  className?: string | undefined;
  /** Adds the change in units of the price, the time that it covers, and on a board the change over 24 hours. */
  hasMore?: boolean;
};

export function WindowMove({ latest, windowMs, nowMs, className, hasMore }: WindowMoveProps) {
  const { store } = usePage();
  const publishNowMs = useNow() - store.stream().skewMs;
  const fromMs = (nowMs ?? publishNowMs) - windowMs;
  const words = useSteadyWords();
  const start = windowStart(store.points(latest.id), fromMs);
  if (start === undefined) return null;
  // The data begin late in the window, so the change covers a shorter time.
  const isShorter = start.atMs > fromMs + windowMs / 10;
  const title = `Since the price of ${words(start.atMs)}${isShorter ? ', the first in this window' : ''}`;
  const move = <Move from={start.update} to={latest} className={className} title={title} />;
  if (!hasMore) return move;
  return (
    <span className={classes.change}>
      <span className="faint">{isShorter ? `since ${words(start.atMs)}` : windowName(windowMs)}</span> {move}{' '}
      <span className="num" data-amount="">
        {amountText(start.update, latest)}
      </span>{' '}
      {windowMs === DAY_MS && !isShorter ? null : <DayMove latest={latest} hasName />}
    </span>
  );
}

/** Renders nothing without a price of a day ago. */
export function DayMove({ latest, hasName }: { latest: PriceUpdate; hasName?: boolean }) {
  const { store, dayAgo } = usePage();
  const update24hAgo = dayAgo?.get(latest.id);
  const words = useSteadyWords();
  const publishTimeS = update24hAgo?.publishTimeS ?? 0;
  const isOfDay = useTicking(() => Number(isDayOld(publishTimeS, store.serviceNowMs([latest.id]))));
  if (update24hAgo === undefined || isOfDay === 0) return null;
  // A single element, so that a narrow card leaves it out as a whole.
  return (
    <span className={hasName ? classes.day : undefined}>
      {hasName && <span className="faint">24 h </span>}
      <Move
        from={update24hAgo}
        to={latest}
        figure="day-move"
        title={`Since ${words(update24hAgo.publishTimeS * 1000)}`}
      />
    </span>
  );
}

export function emptyWords(gaps: readonly FeedGap[], otherwise = 'No price in this window'): string {
  const isClosed = gaps.length > 0 && gaps.every(({ kind }) => kind === 'closed');
  return isClosed ? GAPS.closed.label : otherwise;
}

/** Text for assistive technology: time span, last, lowest and highest price with every digit, and gaps. */
export function chartSummary(
  symbol: string,
  points: readonly FeedPoint[],
  { fromMs, toMs }: TimeRange,
  gaps: readonly FeedGap[] = [],
): string {
  const missing = gaps.length === 0 ? '' : `, ${gapCounts(gaps)}`;
  const untilEnd = points.filter(({ atMs }) => atMs <= toMs);
  const seen = untilEnd.filter(({ atMs }) => atMs >= fromMs);
  const [first, last, extremes] = [seen[0], seen.at(-1), windowExtremes(untilEnd, fromMs)];
  if (last === undefined || first === undefined || extremes === undefined) {
    return `Chart of ${symbol}: no price in the last ${formatSpan(toMs - fromMs)}${missing}`;
  }
  const text = ({ update }: FeedPoint) => formatScaled(update.price);
  const prices = `last ${text(last)}, lowest ${text(extremes.lowest)}, highest ${text(extremes.highest)}`;
  const count = countOf(updateCount(seen), 'update');
  return `Chart of ${symbol}: ${prices}, ${count} in ${formatSpan(toMs - first.atMs)}${missing}`;
}
