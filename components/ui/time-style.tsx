'use client';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import {
  clockStyle,
  DEFAULT_TIME_STYLE,
  formatRelative,
  isTimeZone,
  keepCookie,
  type MomentText,
  momentText,
  momentWords,
  shownMoment,
  type TimeStyle,
  type Zone,
  zoneCookie,
} from '@/lib/core/time-text';
import { useTicking } from './clock';

export type { MomentText, TimeStyle } from '@/lib/core/time-text';

type Shown = {
  readonly style: TimeStyle;
  readonly renderedAtMs: number;
  readonly setZone: (zone: Zone) => void;
};

const never = () => () => {};
const ShownContext = createContext<Shown>({ style: DEFAULT_TIME_STYLE, renderedAtMs: 0, setZone: () => {} });

let zoneOfBrowser: string | undefined;

function browserTimeZone(): string {
  if (zoneOfBrowser === undefined) {
    const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    zoneOfBrowser = isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_STYLE.timeZone;
  }
  return zoneOfBrowser;
}

/**
 * The one choice of how times are shown, for everything below it. The first pass uses the zone of the cookie, as the
 * server did; from then on it is the browser's, and the cookie learns it for the next page.
 * @param style what the cookie says (`readZoneCookie`)
 * @param nowMs when the server rendered, unix milliseconds
 */
export function TimeStyleProvider({
  style,
  nowMs = 0,
  children,
}: {
  style: TimeStyle;
  nowMs?: number;
  children: ReactNode;
}) {
  const [zone, setZone] = useState(style.zone);
  const timeZone = useSyncExternalStore(never, browserTimeZone, () => style.timeZone);
  const kept = useRef(zoneCookie(style));
  useEffect(() => {
    const cookie = zoneCookie({ zone, timeZone });
    if (cookie === kept.current) return;
    kept.current = cookie;
    keepCookie(document, cookie);
  }, [zone, timeZone]);
  const shown = useMemo(
    () => ({ style: { zone, timeZone }, renderedAtMs: nowMs, setZone }),
    [zone, timeZone, nowMs],
  );
  return <ShownContext value={shown}>{children}</ShownContext>;
}

/** A part of the page whose link may say how times are shown: they are so from the first pass on, and stay so. */
export function LinkedZone({
  zone,
  onTaken,
  children,
}: {
  zone: Zone | undefined;
  onTaken: () => void;
  children: ReactNode;
}) {
  const outer = useContext(ShownContext);
  const take = useEffectEvent((linked: Zone) => {
    outer.setZone(linked);
    onTaken();
  });
  useEffect(() => {
    if (zone !== undefined) take(zone);
  }, [zone]);
  const shown = useMemo(
    () => (zone === undefined ? outer : { ...outer, style: { ...outer.style, zone } }),
    [outer, zone],
  );
  return <ShownContext value={shown}>{children}</ShownContext>;
}

/** How times are shown here, and how to change that for the whole dashboard. */
export function useTimeStyle(): TimeStyle & { readonly setZone: (zone: Zone) => void } {
  const { style, setZone } = useContext(ShownContext);
  return useMemo(() => ({ ...style, setZone }), [style, setZone]);
}

const pace = (zone: Zone) => (zone === 'relative' ? 'ticking' : 'still');

/**
 * One moment (unix milliseconds): text, title and ISO. A relative one is drawn again only when its text changes, so
 * that a table full of them is cheap. `serviceText` as in `momentText`.
 */
export function useMoment(ms: number, serviceText?: string): MomentText {
  const { style, renderedAtMs } = useContext(ShownContext);
  const text = useTicking((nowMs) => shownMoment(ms, style, nowMs), renderedAtMs, pace(style.zone));
  return useMemo(() => ({ ...momentText(ms, style, ms, serviceText), text }), [ms, style, serviceText, text]);
}

/** Like `useMoment`, for any number of moments; the component is drawn once a second while times are relative. */
export function useMomentText(): (ms: number, serviceText?: string) => MomentText {
  const { style, renderedAtMs } = useContext(ShownContext);
  const nowMs = useTicking((now) => now, renderedAtMs, pace(style.zone));
  return useCallback((ms, serviceText) => momentText(ms, style, nowMs, serviceText), [style, nowMs]);
}

const QUARTER_MS = 15 * 60_000;

const quarterOf = (nowMs: number) => Math.floor(nowMs / QUARTER_MS) * QUARTER_MS;

/** Moments inside sentences: `12:03:07 UTC`, `13:03:07 +01:00`, `3 min ago`; with the day when it is another one. */
export function useMomentWords(): (ms: number) => string {
  const { style, renderedAtMs } = useContext(ShownContext);
  const isAge = style.zone === 'relative';
  const nowMs = useTicking((now) => (isAge ? now : quarterOf(now)), renderedAtMs);
  return useCallback((ms) => momentWords(ms, style, nowMs), [style, nowMs]);
}

/**
 * Like `useMomentWords`, but never an age: for what is announced, and would be again with every second. `withDay`: the day
 * is said also where it is today.
 */
export function useSteadyWords(): (ms: number, withDay?: boolean) => string {
  const { style, renderedAtMs } = useContext(ShownContext);
  const nowMs = useTicking(quarterOf, renderedAtMs);
  return useCallback(
    (ms, withDay = false) => momentWords(ms, clockStyle(style), withDay ? 0 : nowMs),
    [style, nowMs],
  );
}

/** How long ago a moment was, in one unit: `42 s`, `3 min`. Drawn again only when its text changes. */
export function useAge(ms: number): string {
  const { renderedAtMs } = useContext(ShownContext);
  return useTicking((nowMs) => formatRelative(ms, nowMs).replace(' ago', ''), renderedAtMs);
}
