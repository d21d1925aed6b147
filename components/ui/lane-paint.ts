import {
  itemsWithin,
  LANE_HEIGHT,
  type LaneItem,
  type LaneKind,
  type LaneLayout,
  middleOf,
  overviewOf,
} from './lane-layout';
import { GAP_SHAPE, LANE_SHAPES, type LaneShape, OVERTAKEN_SHAPE, TWIN_SHAPE } from './lane-shapes';

/** Looks up a design token. */
export type TokenOf = (token: string) => string;

const MIDDLE = 24;
const ABOVE = 8;
const BELOW = 40;

/** What of the strip is seen, and what on it is chosen. Pixels, indexes of items. */
export type LaneView = {
  left: number;
  width: number;
  selected: [number, number] | undefined;
  /** The request that the page is about. */
  current: number | undefined;
};

/** Draws the part of the strip that is seen: its cost does not grow with the strip. */
export function paintLane(
  context: CanvasRenderingContext2D,
  items: readonly LaneItem[],
  layout: LaneLayout,
  view: LaneView,
  token: TokenOf,
): void {
  context.clearRect(0, 0, view.width, LANE_HEIGHT);
  if (view.selected !== undefined) {
    const [one, other] = view.selected;
    band(context, layout, Math.min(one, other), Math.max(one, other), view, token('--ks-accent-wash'));
  }
  if (view.current !== undefined)
    band(context, layout, view.current, view.current, view, token('--ks-accent-wash'));
  axis(context, view, layout, token('--ks-line'));
  const brush = shapeBrush(context, token);
  const [first, last] = itemsWithin(layout, view.left, view.left + view.width);
  for (let index = first; index <= last; index++) {
    const item = items[index];
    if (item === undefined) continue;
    const x = middleOf(layout, index) - view.left;
    if (item.kind === 'gap') {
      brush(GAP_SHAPE, x, MIDDLE);
      continue;
    }
    brush(LANE_SHAPES[item.state], x, MIDDLE);
    if (item.overtakenBy !== undefined) brush(OVERTAKEN_SHAPE, x, ABOVE);
    if (item.twins.length > 0) brush(TWIN_SHAPE, x, BELOW);
    if (index === view.current) pointer(context, x, token('--ks-accent'));
  }
}

function band(
  context: CanvasRenderingContext2D,
  { edges }: LaneLayout,
  first: number,
  last: number,
  view: LaneView,
  colour: string,
): void {
  context.fillStyle = colour;
  const left = edges[first] ?? 0;
  context.fillRect(left - view.left, 0, (edges[last + 1] ?? left) - left, LANE_HEIGHT);
}

function axis(context: CanvasRenderingContext2D, view: LaneView, layout: LaneLayout, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(0, MIDDLE - 0.5, Math.min(view.width, layout.width - view.left), 1);
}

/** Where the request stands that the page is about. */
function pointer(context: CanvasRenderingContext2D, x: number, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x - 5, LANE_HEIGHT - 2, 10, 2);
  context.fillRect(x - 5, 0, 10, 2);
}

/** Paths are parsed once per painting, not once per mark. */
function shapeBrush(context: CanvasRenderingContext2D, token: TokenOf) {
  const made = new Map<LaneShape, { path: Path2D; colour: string }>();
  const of = (shape: LaneShape) => {
    const known = made.get(shape) ?? { path: new Path2D(shape.path), colour: token(shape.token) };
    made.set(shape, known);
    return known;
  };
  context.lineWidth = 1.75;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  return (shape: LaneShape, x: number, y: number) => {
    const { path, colour } = of(shape);
    context.translate(x, y);
    if (shape.fill === 'full') {
      context.fillStyle = colour;
      context.fill(path);
    } else {
      context.strokeStyle = colour;
      context.stroke(path);
    }
    context.translate(-x, -y);
  };
}

export const OVERVIEW_HEIGHT = 14;

const OVERVIEW: Record<LaneKind, { token: string; height: number }> = {
  completed: { token: '--ks-good', height: 4 },
  pending: { token: '--ks-wait', height: 6 },
  'callback-failed': { token: '--ks-warn', height: 9 },
  unknown: { token: '--ks-odd', height: 9 },
  failed: { token: '--ks-bad', height: 9 },
  gap: { token: '--ks-bad', height: 2 },
  stuck: { token: '--ks-wait', height: OVERVIEW_HEIGHT },
};

/** Draws the whole strip over the width, the gravest item of each pixel: graver ones stand higher. */
export function paintOverview(
  context: CanvasRenderingContext2D,
  items: readonly LaneItem[],
  layout: LaneLayout,
  width: number,
  token: TokenOf,
): void {
  context.clearRect(0, 0, width, OVERVIEW_HEIGHT);
  for (const [x, kind] of overviewOf(items, layout, width).entries()) {
    const { token: name, height } = OVERVIEW[kind];
    context.fillStyle = token(name);
    context.fillRect(x, OVERVIEW_HEIGHT - height, 1, height);
  }
}
