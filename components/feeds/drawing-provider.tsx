'use client';
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { usePage } from '@/lib/feeds/client/hooks';
import { type DrawingOptions, drawPage, type PageDrawing } from '@/lib/feeds/client/page-drawing';
import { joinRedrawQueue } from '@/lib/feeds/client/redraw-queue';

type ChartOptions = Pick<DrawingOptions, 'feeds' | 'window' | 'scale' | 'hasBand' | 'isFilled'>;

type Drawn = { readonly place: RefObject<HTMLDivElement | null>; readonly drawing: PageDrawing | undefined };

const DrawnContext = createContext<Drawn | undefined>(undefined);

/** Only components that call `useDrawing` render with each drawing, so they all show the same update. */
export function DrawingProvider({ children, ...options }: ChartOptions & { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = usePageDrawing(place, options);
  const value = useMemo(() => ({ place, drawing }), [drawing]);
  return <DrawnContext value={value}>{children}</DrawnContext>;
}

export function useDrawing(): Drawn {
  const drawn = use(DrawnContext);
  if (drawn === undefined) throw new Error('a drawing is used outside of the page of a feed');
  return drawn;
}

/** Redrawn in the page's redraw queue, and at once when the window, the feeds or the size change. */
function usePageDrawing(
  place: RefObject<HTMLElement | null>,
  options: ChartOptions,
): PageDrawing | undefined {
  const { store, floors } = usePage();
  const [drawing, setDrawing] = useState<PageDrawing>();
  const draw = useEffectEvent(() => {
    const { clientWidth = 0, clientHeight = 0 } = place.current ?? {};
    const size = { width: Math.floor(clientWidth), height: Math.floor(clientHeight) };
    if (size.width > 0) setDrawing(drawPage(store, { ...options, ...size, floors }));
  });
  const key = JSON.stringify(options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key needs a new drawing at once
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const run = () => draw();
    const leave = joinRedrawQueue(run);
    // A ResizeObserver reports the current size first.
    const watcher = new ResizeObserver(run);
    watcher.observe(element);
    return () => {
      leave();
      watcher.disconnect();
    };
  }, [place, key]);
  return drawing;
}
