'use client';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
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
import { RenderedAt, useTicking } from './clock';

export type { MomentText, TimeStyle } from '@/lib/core/time-text';

/** A link that says how its times are shown, and what is to happen when the person chooses otherwise. */
type LinkedChoice = { zone: Zone; leave: () => void };
type Switched = {
  zone: Zone;
  setZone: (zone: Zone) => void;
  link: (choice: LinkedChoice | undefined) => void;
};

const nothing = () => {};
const never = () => nothing;
const StyleContext = createContext<TimeStyle>(DEFAULT_TIME_STYLE);
/** What the switch shows: the choice of the link that is open, else the person's own. */
const SwitchContext = createContext<Switched>({ zone: 'utc', setZone: nothing, link: nothing });

let zoneOfBrowser: string | undefined;

/** Read once: a browser that travels is seen by the next page it loads. */
function browserTimeZone(): string {
  zoneOfBrowser ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zoneOfBrowser) ? zoneOfBrowser : DEFAULT_TIME_STYLE.timeZone;
}

/** `style`: what the cookie says (`readZoneCookie`). `nowMs`: when the server rendered, unix milliseconds. */
type ProviderProps = { style: TimeStyle; nowMs: number; children: ReactNode };

/** How times are shown below it: first by the cookie, as the server did, then in the browser's zone, which the cookie learns. */
export function TimeStyleProvider({ style, nowMs, children }: ProviderProps) {
  const [zone, choose] = useState(style.zone);
  const [linked, link] = useState<LinkedChoice>();
  const timeZone = useSyncExternalStore(never, browserTimeZone, () => style.timeZone);
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

/** A part of the page whose link may say how times are shown; `onLeave` takes its word away when another style is chosen. */
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

/** How times are shown here. */
export const useTimeStyle = (): TimeStyle => useContext(StyleContext);

/** For the switch itself, which stands outside of the page: the style of the link that is open, else the chosen one. */
export const useZoneSwitch = (): Omit<Switched, 'link'> => useContext(SwitchContext);

/** One moment (unix ms), drawn again only when its text changes. `serviceText` as in `momentText`. */
export function useMoment(ms: number, serviceText?: string): MomentText {
  const style = useTimeStyle();
  const pace = style.zone === 'relative' ? 'ticking' : 'still';
  const text = useTicking((nowMs) => shownMoment(ms, style, nowMs), pace);
  return useMemo(() => ({ ...momentText(ms, style, ms, serviceText), text }), [ms, style, serviceText, text]);
}

const QUARTER_MS = 15 * 60_000;

/** A day begins on a quarter of an hour in every zone; within one nothing changes but ages. */
const quarterOf = (nowMs: number) => Math.floor(nowMs / QUARTER_MS) * QUARTER_MS;

/** How times are shown, and the time: of ages every second, else as often as a day may begin. */
function useStyleNow(): [style: TimeStyle, nowMs: number] {
  const style = useTimeStyle();
  return [style, useTicking(style.zone === 'relative' ? Number : quarterOf)];
}

/** Moments inside sentences: `12:03:07 UTC`, `13:03:07 +01:00`, `3 min ago`; with the day when it is another one. */
export function useMomentWords(): (ms: number) => string {
  const [style, nowMs] = useStyleNow();
  return useCallback((ms) => momentWords(ms, style, nowMs), [style, nowMs]);
}

/** Moments of a table whose heads have the zone. */
export function useMomentColumn(): { header: (label: string) => string; text: (ms: number) => string } {
  const [style, nowMs] = useStyleNow();
  const header = (label: string) => momentHeader(label, style.zone);
  return { header, text: (ms) => momentInColumn(ms, style, nowMs) };
}

/** Like `useMomentWords`, but never an age, for what is announced. `withDay`: the day is said also where it is today. */
export function useSteadyWords(): (ms: number, withDay?: boolean) => string {
  const style = useTimeStyle();
  const nowMs = useTicking(quarterOf);
  return useCallback(
    (ms, withDay = false) => momentWords(ms, clockStyle(style), withDay ? 0 : nowMs),
    [style, nowMs],
  );
}

/** How long ago a moment was, in one unit: `42 s`, `3 min`. Drawn again only when its text changes. */
export const useAge = (ms: number) => useTicking((nowMs) => formatRelative(ms, nowMs).replace(' ago', ''));
