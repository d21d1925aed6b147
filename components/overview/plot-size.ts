/** Sizes of the charts in CSS pixels: what lies above them stands at the same places as their bars. */
export const CHART_PX = { requests: 168, lengths: 148 };
export const TIMES_PX = 22;
/** Beside the plots: the axes of values, and the room of the last label. */
export const AXIS_PX = 56;
export const END_PX = 8;
