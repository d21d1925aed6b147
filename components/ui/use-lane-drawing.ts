import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { LANE_HEIGHT, type LaneItem, type LaneLayout, middleOf } from './lane-layout';
import { OVERVIEW_HEIGHT, paintLane, paintOverview, type TokenOf } from './lane-paint';

type Drawn = {
  items: readonly LaneItem[];
  layout: LaneLayout;
  selected: [number, number] | undefined;
  current: number | undefined;
  viewport: RefObject<HTMLElement | null>;
};

/** Keeps the canvases as wide as the window on the strip, and paints them once per frame when something has changed. */
export function useLaneDrawing({ items, layout, selected, current, viewport }: Drawn) {
  const strip = useRef<HTMLCanvasElement>(null);
  const overview = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const fits = width === 0 || layout.width <= width ? 'yes' : 'no';

  const paintStrip = useEffectEvent(() => {
    const element = viewport.current;
    const context = contextOf(strip.current, width, LANE_HEIGHT);
    if (element === null || context === undefined) return;
    const view = { left: element.scrollLeft, width, selected, current };
    paintLane(context, items, layout, view, tokens());
    const seen = frame.current;
    if (seen === null) return;
    seen.style.left = `${(element.scrollLeft / layout.width) * 100}%`;
    seen.style.width = `${Math.min(1, width / layout.width) * 100}%`;
  });
  const paintAll = useEffectEvent(() => {
    paintStrip();
    const context = contextOf(overview.current, width, OVERVIEW_HEIGHT);
    if (context !== undefined && fits === 'no') paintOverview(context, items, layout, width, tokens());
  });

  useCurrentInTheMiddle({ viewport, layout, current, width });
  // After every rendering: what it may have changed is too much to list, and painting costs less than a rendering.
  useEffect(() => paintAll());
  useEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    let asked = 0;
    const later = (paint: () => void) => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(paint);
    };
    const scrolled = () => later(() => paintStrip());
    const size = new ResizeObserver(() => setWidth(element.clientWidth));
    const scheme = new MutationObserver(() => later(() => paintAll()));
    size.observe(element);
    scheme.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      cancelAnimationFrame(asked);
      size.disconnect();
      scheme.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [viewport]);

  return { strip, overview, frame, fits } as const;
}

/** When it comes on screen, the strip shows the request that the page is about; else its newest end. */
function useCurrentInTheMiddle({
  viewport,
  layout,
  current,
  width,
}: Pick<Drawn, 'viewport' | 'layout' | 'current'> & { width: number }): void {
  const placed = useRef<number | 'end'>(undefined);
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element === null || width === 0 || placed.current === (current ?? 'end')) return;
    placed.current = current ?? 'end';
    element.scrollLeft = current === undefined ? layout.width : middleOf(layout, current) - width / 2;
  });
}

function tokens(): TokenOf {
  const style = getComputedStyle(document.documentElement);
  return (token) => style.getPropertyValue(token);
}

/** The canvas in the device's own pixels, its context in those of the page. */
function contextOf(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const context = canvas?.getContext('2d');
  if (canvas === null || !context || width === 0) return undefined;
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    canvas.style.width = `${width}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
