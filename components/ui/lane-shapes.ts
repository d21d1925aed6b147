import type { LaneState } from '@/lib/domain/diagnosis/sequence-lane';

/** How a state is drawn: a shape around 0/0, some 9 pixels wide, and the token of its colour. `line`: not filled. */
export type LaneShape = { path: string; token: string; fill: 'full' | 'line' };

export const LANE_SHAPES: Record<LaneState, LaneShape> = {
  completed: { path: 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z', token: '--ks-good', fill: 'full' },
  'callback-failed': { path: 'M0 -4.5L4.5 3.5H-4.5Z', token: '--ks-warn', fill: 'full' },
  failed: { path: 'M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5', token: '--ks-bad', fill: 'line' },
  pending: { path: 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z', token: '--ks-wait', fill: 'line' },
  stuck: { path: 'M0 -6L5 0L0 6L-5 0Z', token: '--ks-wait', fill: 'full' },
  unknown: { path: 'M-3.5 -3.5H3.5V3.5H-3.5Z', token: '--ks-odd', fill: 'line' },
};

/** Numbers that no row has: two brackets with nothing between them. */
export const GAP_SHAPE: LaneShape = {
  path: 'M-3 -6H-6V6H-3M3 -6H6V6H3',
  token: '--ks-bad',
  fill: 'line',
};

/** Above a request that later ones have overtaken. */
export const OVERTAKEN_SHAPE: LaneShape = {
  path: 'M-4 -2.5L0 1.5L4 -2.5',
  token: '--ks-bad',
  fill: 'line',
};

/** Below requests of one number. */
export const TWIN_SHAPE: LaneShape = { path: 'M-6 -2V2H6V-2', token: '--ks-odd', fill: 'line' };
