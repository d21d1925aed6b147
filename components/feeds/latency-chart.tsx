'use client';
import { memo, useEffect, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { clockText } from '@/lib/core/time-text';
import { joinDrawing, useFeedStore } from '@/lib/feeds/client/hooks';
import {
  clockSentences,
  LatencyLog,
  type LatencyPicture,
  latencyPartText,
  latencyPartWords,
  latencySummaryText,
  latencyText,
  SHOWN_UPDATES,
} from '@/lib/feeds/client/latency';
import type { UpdateLatency } from '@/lib/feeds/feed-latency';
import classes from './latency-chart.module.css';

/** How long the last updates of a feed were under way, part by part, with their p50. */
export function LatencyChart({ id, symbol }: { id: string; symbol: string }) {
  const picture = useLatency(id);
  if (picture === undefined)
    return <p className={classes.soft}>Latency follows with the first live update.</p>;
  return (
    <figure className={classes.figure}>
      <LatencyBars picture={picture} label={latencySummaryText(symbol, picture)} />
      <LatencyCaption picture={picture} />
      <LatencyTable symbol={symbol} picture={picture} />
    </figure>
  );
}

/** The picture takes its turn in the page's round of drawings. */
function useLatency(id: string): LatencyPicture | undefined {
  const store = useFeedStore();
  const [picture, setPicture] = useState<LatencyPicture>();
  useEffect(() => {
    const log = new LatencyLog();
    let drawn: unknown;
    const draw = () => {
      const points = store.points(id);
      if (points === drawn) return;
      drawn = points;
      setPicture(log.read(points));
    };
    draw();
    return joinDrawing(draw);
  }, [store, id]);
  return picture;
}

/** Steps of the scale, milliseconds: it holds still while the slowest update stays below one. */
const SCALES_MS = [100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** The scale that the slowest update fits; beyond a minute whole minutes. */
function latencyScaleMs(slowestMs: number): number {
  return SCALES_MS.find((ms) => slowestMs <= ms) ?? Math.ceil(slowestMs / 60_000) * 60_000;
}

const HEIGHT = 100;

/** A bar for each update, newest at the right, its parts stacked in the order of the way. */
const LatencyBars = memo(function LatencyBars({
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

function LatencyCaption({ picture: { summary, offsets } }: { picture: LatencyPicture }) {
  return (
    <figcaption className={classes.caption}>
      <ul className={classes.legend}>
        {summary.medians.map(({ name, ms }) => (
          <li key={name} className={classes.part} data-part={name}>
            <span className={classes.swatch} />
            {latencyPartWords(name)} <span className={classes.figureText}>{latencyPartText(name, ms)}</span>
          </li>
        ))}
        <li className={classes.part}>
          Total <span className={classes.figureText}>{latencyText(summary.medianTotalMs)}</span>
          <span className={classes.soft}>
            (p50 of {summary.count}; max {latencyText(summary.slowestMs)})
          </span>
        </li>
      </ul>
      <p className={classes.soft}>
        Publish and proof times are whole seconds: parts that touch them are exact to ±1 s.
      </p>
      {clockSentences(offsets).map((sentence) => (
        <p key={sentence} className={classes.clock}>
          {sentence}
        </p>
      ))}
    </figcaption>
  );
}

/** So many updates are read in a table without getting lost. */
const ROWS = 15;

function LatencyTable({ symbol, picture }: { symbol: string; picture: LatencyPicture }) {
  const [isOpen, setOpen] = useState(false);
  const times = useTimeStyle();
  const names = picture.summary.medians.map(({ name }) => name);
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <table className={classes.table}>
          <caption className="sr-only">
            Latency of the last updates of <bdi>{symbol}</bdi>, newest first
          </caption>
          <thead>
            <tr>
              <th scope="col">Received</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {latencyPartWords(name)}
                </th>
              ))}
              <th scope="col">Total</th>
            </tr>
          </thead>
          <tbody>
            {picture.updates
              .slice(-ROWS)
              .reverse()
              .map((update) => (
                <tr key={update.turn}>
                  <th scope="row">{clockText(update.atMs, times)}</th>
                  {names.map((name) => {
                    const part = update.parts.find((one) => one.name === name);
                    return <td key={name}>{part === undefined ? '—' : latencyText(part.ms)}</td>;
                  })}
                  <td>{latencyText(update.totalMs)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      ) : null}
    </details>
  );
}
