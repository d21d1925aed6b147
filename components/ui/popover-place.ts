const GAP_PX = 4;
const EDGE_PX = 8;
/** Wide enough for a name, a count and a button; also the `width` of the style sheet. */
export const POPOVER_PX = 336;
/** With less room than this below, it opens upwards if there is more above. */
const ENOUGH_PX = 320;

type Box = { left: number; top: number; bottom: number };
type Space = { width: number; height: number };
type Place = { left: number; width: number; maxHeight: number } & ({ top: number } | { bottom: number });

/** Where the window of a button stands within the browser's, all in CSS pixels: below it, else above it. */
export function popoverPlace(button: Box, space: Space): Place {
  const width = Math.min(POPOVER_PX, space.width - 2 * EDGE_PX);
  const left = Math.max(EDGE_PX, Math.min(button.left, space.width - width - EDGE_PX));
  const below = space.height - button.bottom - GAP_PX - EDGE_PX;
  const above = button.top - GAP_PX - EDGE_PX;
  return below >= ENOUGH_PX || below >= above
    ? { left, width, top: button.bottom + GAP_PX, maxHeight: Math.max(0, below) }
    : { left, width, bottom: space.height - button.top + GAP_PX, maxHeight: Math.max(0, above) };
}

const px = (value: number) => `${Math.round(value)}px`;

/** Puts the window there. */
export function placePopover(button: HTMLElement | null, panel: HTMLElement | null): void {
  if (button === null || panel === null) return;
  const page = document.documentElement;
  const place = popoverPlace(button.getBoundingClientRect(), {
    width: page.clientWidth,
    height: page.clientHeight,
  });
  panel.style.left = px(place.left);
  panel.style.width = px(place.width);
  panel.style.maxHeight = px(place.maxHeight);
  panel.style.top = 'top' in place ? px(place.top) : 'auto';
  panel.style.bottom = 'bottom' in place ? px(place.bottom) : 'auto';
}
