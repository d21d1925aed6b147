'use client';
import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
} from 'react';
import {
  clockStyle,
  DEFAULT_TIME_STYLE,
  formatRelative,
  isTimeZone,
  type MomentText,
  momentHeader,
  momentInColumn,
  momentText,
  momentWords,
  shownMoment,
  type TimeStyle,
  writeCookie,
  type Zone,
  zoneCookie,
} from '@/lib/core/time-text';
import { RenderedAt, useServerTicking } from './clock';

export type { MomentText, TimeStyle } from '@/lib/core/time-text';

/** `leave` is called when the user chooses another zone. */
type LinkedChoice = { zone: Zone; leave: () => void };
type Switched = {
  zone: Zone;
  setZone: (zone: Zone) => void;
  link: (choice: LinkedChoice | undefined) => void;
};

const nothing = () => {};
const StyleContext = createContext<TimeStyle>(DEFAULT_TIME_STYLE);
/** The URL's choice, else the user's. */
const SwitchContext = createContext<Switched>({ zone: 'utc', setZone: nothing, link: nothing });

function browserTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_STYLE.timeZone;
}

/**
 * The zone of the browser, read in a task of its own: the browser loads its zones for it, which takes a phone 50 ms.
 */
function useBrowserZone(before: string): string {
  const [timeZone, setTimeZone] = useState(before);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setTimeZone(browserTimeZone())));
    return () => clearTimeout(timer);
  }, []);
  return timeZone;
}

/** `style` comes from the cookie (`readZoneCookie`). `nowMs` is the server's render, unix milliseconds. */
type ProviderProps = { style: TimeStyle; nowMs: number; children: ReactNode };

/** First the cookie's style, as on the server, then the browser's zone, which is saved in the cookie. */
export function TimeStyleProvider({ style, nowMs, children }: ProviderProps) {
  const [zone, choose] = useState(style.zone);
  const [linked, link] = useState<LinkedChoice>();
  const timeZone = useBrowserZone(style.timeZone);
  useEffect(() => writeCookie(document, zoneCookie({ zone, timeZone })), [zone, timeZone]);
  const shown = useMemo(() => ({ zone, timeZone }), [zone, timeZone]);
  const switched = useMemo(() => {
    const setZone = (chosen: Zone) => {
      linked?.leave();
      choose(chosen);
    };
    return { zone: linked?.zone ?? zone, setZone, link };
  }, [linked, zone]);
  return (
    <RenderedAt value={nowMs}>
      <StyleContext value={shown}>
        <SwitchContext value={switched}>{children}</SwitchContext>
      </StyleContext>
    </RenderedAt>
  );
}

type LinkedProps = { zone: Zone | undefined; onLeave: () => void; children: ReactNode };

/** The URL of `children` may set the zone. `onLeave` removes it there when another one is chosen. */
export function LinkedZone({ zone, onLeave, children }: LinkedProps) {
  const outer = useContext(StyleContext);
  const { link } = useContext(SwitchContext);
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    if (zone === undefined) return;
    link({ zone, leave: () => leave() });
    return () => link(undefined);
  }, [zone, link]);
  const shown = useMemo(() => (zone === undefined ? outer : { ...outer, zone }), [outer, zone]);
  return <StyleContext value={shown}>{children}</StyleContext>;
}

export const useTimeStyle = (): TimeStyle => useContext(StyleContext);

/** The switch is outside of the page's content. */
export const useZoneSwitch = (): Omit<Switched, 'link'> => useContext(SwitchContext);

/**
 * Text of a moment in unix ms. The component renders only when the text changes. `serviceText` is as in `momentText`.
 */
export function useMoment(ms: number, serviceText?: string): MomentText {
  const style = useTimeStyle();
  const pace = style.zone === 'relative' ? 'ticking' : 'still';
  const text = useServerTicking((nowMs) => shownMoment(ms, style, nowMs), pace);
  return useMemo(() => ({ ...momentText(ms, style, ms, serviceText), text }), [ms, style, serviceText, text]);
}

const QUARTER_MS = 15 * 60_000;

/** Start of the quarter of an hour. Days begin at one in every zone, so within it only ages change. */
const quarterOf = (nowMs: number) => Math.floor(nowMs / QUARTER_MS) * QUARTER_MS;

/** The time ticks each second for ages and otherwise each quarter of an hour. */
function useStyleNow(): [style: TimeStyle, nowMs: number] {
  const style = useTimeStyle();
  return [style, useServerTicking(style.zone === 'relative' ? (nowMs) => nowMs : quarterOf)];
}

/** `12:03:07 UTC`, `13:03:07 +01:00`, `3 min ago`; with the day unless it is today. */
export function useMomentWords(): (ms: number) => string {
  const [style, nowMs] = useStyleNow();
  return useCallback((ms) => momentWords(ms, style, nowMs), [style, nowMs]);
}

/** The header names the zone. */
export function useMomentColumn(): { header: (label: string) => string; text: (ms: number) => string } {
  const [style, nowMs] = useStyleNow();
  const header = (label: string) => momentHeader(label, style.zone);
  return { header, text: (ms) => momentInColumn(ms, style, nowMs) };
}

/**
 * A moment in words that are never an age, for announcements; else like `useMomentWords`. With `withDay`, the day
 * appears even if it is today.
 */
export function useSteadyWords(): (ms: number, withDay?: boolean) => string {
  const style = useTimeStyle();
  const nowMs = useServerTicking(quarterOf);
  return useCallback(
    (ms, withDay = false) => momentWords(ms, clockStyle(style), withDay ? 0 : nowMs),
    [style, nowMs],
  );
}

/** `6 min ago`, or `in 3 min` by a clock that is ahead. The component renders only when the text changes. */
export const useRelative = (ms: number) => useServerTicking((nowMs) => formatRelative(ms, nowMs));
