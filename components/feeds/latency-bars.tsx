import { memo } from 'react';
import { type LatencyPicture, SHOWN_UPDATES } from '@/lib/client/latency-log';
import { latencyText } from '@/lib/client/latency-words';
import type { UpdateLatency } from '@/lib/domain/feed-latency';
import classes from './latency-chart.module.css';

/** Steps of the scale, milliseconds: it holds still while the slowest update stays below one. */
const SCALES_MS = [100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** The scale that the slowest update fits; beyond a minute whole minutes. */
export function latencyScaleMs(slowestMs: number): number {
  return SCALES_MS.find((ms) => slowestMs <= ms) ?? Math.ceil(slowestMs / 60_000) * 60_000;
}

const HEIGHT = 100;

/** A bar for each update, newest at the right, its parts stacked in the order of the way. */
export const LatencyBars = memo(function LatencyBars({
  picture,
  label,
}: {
  picture: LatencyPicture;
  label: string;
}) {
  const scaleMs = latencyScaleMs(picture.summary.slowestMs);
  const first = SHOWN_UPDATES - picture.updates.length;
  return (
    <div className={classes.place} role="img" aria-label={label}>
      <svg
        aria-hidden="true"
        className={classes.bars}
        viewBox={`0 0 ${SHOWN_UPDATES} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {picture.updates.map((update, at) => (
          <g key={update.turn} transform={`translate(${first + at} 0)`}>
            {partsOf(update, scaleMs).map(({ name, y, height }) => (
              <rect
                key={name}
                className={classes.bar}
                data-part={name}
                x={0.1}
                width={0.8}
                y={y}
                height={height}
              />
            ))}
          </g>
        ))}
      </svg>
      <span className={classes.scale}>{latencyText(scaleMs)}</span>
      <span className={classes.zero}>0</span>
    </div>
  );
});

function partsOf({ parts }: UpdateLatency, scaleMs: number) {
  let top = HEIGHT;
  return parts.map(({ name, ms }) => {
    const height = (ms / scaleMs) * HEIGHT;
    top -= height;
    return { name, y: top, height };
  });
}
