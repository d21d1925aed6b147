'use client';
import { Fragment, memo, type SVGProps } from 'react';
import {
  ComposedChart,
  ResponsiveContainer,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from 'recharts';
import { countTicks } from './count-axis';
import type { TimeTick } from './time-axis';
import classes from './time-chart.module.css';

/** Loaded after the page, with recharts. */

/** A bucket: its start in unix ms, and the value of each series, null if it has none. */
export type ChartRow = { fromMs: number } & { [series: string]: number | null };

type Series = {
  key: string;
  label: string;
  colour: string;
  dash?: string | undefined;
  width?: number;
};

/** Stacked bars, or lines on a logarithmic scale with these `ticks`. */
export type Lane = {
  kind: 'bars' | 'lines';
  series: readonly Series[];
  /** Share of the height. */
  grow: number;
  tickText: (value: number) => string;
  ticks?: number[];
  tickCount?: number;
  /** Line above the plot, with the legend at its end. The hint is a tooltip. */
  title?: string;
  titleHint?: string;
};

/** Margins of the plots for the axes, CSS pixels. time-chart.module.css has the same. */
const [AXIS_PX, END_PX, TIMES_PX] = [56, 8, 18];
/** Keeps the highest label of a line's scale apart from the 0 of the bars above, unless a title is between them. */
const BETWEEN_PX = 26;
/** Height of a title. time-chart.module.css has the same. */
const TITLE_PX = 26;
const GRID = 'var(--ks-chart-grid)';

/** Unix ms. May begin and end within a bucket. */
export type PlottedSpan = { startMs: number; endMs: number };

type Props = {
  data: ChartRow[];
  span?: PlottedSpan;
  lanes: readonly Lane[];
  ticks: readonly TimeTick[];
  tickWords: (ms: number, unit: TimeTick['unit']) => string;
};

export const TimePlots = memo(
  function TimePlots({ data, span, lanes, ticks, tickWords }: Props) {
    return (
      <div aria-hidden="true" style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
        {lanes.map((lane, index) => {
          const { kind, series, grow, tickText } = lane;
          const isLast = index === lanes.length - 1;
          // Bars above a plot with another scale need their 0. Flat plots of bars have no space for it.
          const showsZero = lanes[index + 1]?.kind === 'lines';
          const values = lane.ticks ?? barTicks(lane, data);
          const isEmpty = series.every(({ key }) => data.every((row) => !row[key]));
          return (
            <div
              key={series[0]?.key}
              className={classes.lane}
              style={{ flex: `${grow} 1 ${(isLast ? TIMES_PX : 0) + (lane.title ? TITLE_PX : 0)}px` }}
            >
              {lane.title && <Heading lane={lane} />}
              <ResponsiveContainer>
                <ComposedChart
                  data={data}
                  margin={{
                    top: lane.title ? 6 : kind === 'lines' && index > 0 ? BETWEEN_PX : 8,
                    right: END_PX,
                    bottom: 0,
                    left: 0,
                  }}
                  accessibilityLayer={false}
                >
                  <Grid values={values} />
                  <XAxis
                    dataKey="fromMs"
                    hide={!isLast}
                    scale="band"
                    height={TIMES_PX}
                    tick={false}
                    axisLine={{ stroke: GRID }}
                  />
                  {isLast && <Times {...{ ticks, tickWords }} />}
                  <YAxis
                    width={AXIS_PX}
                    scale={kind === 'bars' ? 'linear' : 'log'}
                    domain={[values[0] ?? 0, values.at(-1) ?? 1]}
                    ticks={kind === 'bars' ? (isEmpty ? [] : values.slice(showsZero ? 0 : 1)) : values}
                    allowDataOverflow
                    interval={0}
                    tick={({ x, y, payload }) => (
                      // The lowest of the last plot stands above the first time.
                      <Tick
                        x={x}
                        y={Number(y) + (isLast && payload.value === values[0] ? 0 : 4)}
                        textAnchor="end"
                      >
                        {tickText(payload.value)}
                      </Tick>
                    )}
                    axisLine={false}
                    tickLine={false}
                  />
                  {kind === 'bars' ? <Bars {...{ series, data, span }} /> : <Lines {...{ series, data }} />}
                </ComposedChart>
              </ResponsiveContainer>
            </div>
          );
        })}
      </div>
    );
  },
  // `tickWords` needs no comparison, because it changes with the zone, as the ticks do.
  (previous, next) => previous.data === next.data && previous.ticks === next.ticks,
);

function barTicks({ series, tickCount = 4 }: Lane, data: readonly ChartRow[]): number[] {
  const sums = data.map((row) => series.reduce((sum, { key }) => sum + (row[key] ?? 0), 0));
  return countTicks(Math.max(1, ...sums), tickCount);
}

/** Recharts measures its own labels, which costs a layout of the page for each. */
const Tick = (props: SVGProps<SVGTextElement>) => (
  <text fontSize={11} fill="var(--ks-text-faint)" {...props} />
);

/** Labels stand at the start of a bucket, where its time is. The library would centre them under the bar. */
function Times({ ticks, tickWords }: Pick<Props, 'ticks' | 'tickWords'>) {
  const [area, x] = [usePlotArea(), useXAxisScale()];
  if (area === undefined || x === undefined) return null;
  const bottom = area.y + area.height;
  return ticks.map(({ ms, unit }) => {
    const left = x(ms, { position: 'start' });
    // The scale may still be that of the buckets before.
    return left === undefined ? null : (
      <Fragment key={ms}>
        <path stroke={GRID} d={`M${left} ${bottom}v4`} />
        <Tick x={left} y={bottom + 15} textAnchor="middle">
          {tickWords(ms, unit)}
        </Tick>
      </Fragment>
    );
  });
}

function Heading({ lane: { kind, series, title, titleHint } }: { lane: Lane }) {
  return (
    <div className={classes.title}>
      <span title={titleHint}>{title}</span>
      {series.map(({ key, label, colour, dash }) => (
        <small key={key}>
          <svg aria-hidden="true" width="14" height="10">
            <path
              d="M0 5H14"
              stroke={colour}
              strokeWidth={kind === 'lines' ? 2 : 10}
              strokeDasharray={dash}
            />
          </svg>{' '}
          {label}
        </small>
      ))}
    </div>
  );
}

function Grid({ values }: { values: readonly number[] }) {
  const [area, y] = [usePlotArea(), useYAxisScale()];
  if (area === undefined || y === undefined) return null;
  return <path stroke={GRID} d={values.map((value) => `M${area.x} ${y(value)}h${area.width}`).join('')} />;
}

type MarksProps = { series: readonly Series[]; data: readonly ChartRow[] };
/** One row among thousands stays visible. */
const MIN_BAR_PX = 2;

/* Each series is a single path. The library's elements for each bar and point would block the page for 200 ms. */

/** Buckets that the span cuts are outlined, because they are lower for that reason alone. */
function Bars({ series, data, span }: MarksProps & { span: PlottedSpan | undefined }) {
  const [x, y] = [useXAxisScale(), useYAxisScale()];
  if (x === undefined || y === undefined) return null;
  const bucketMs = (data[1]?.fromMs ?? 0) - (data[0]?.fromMs ?? 0);
  const isCut = ({ fromMs }: ChartRow) =>
    span !== undefined && (fromMs < span.startMs || fromMs + bucketMs - 1 > span.endMs);
  const base = y(0) ?? 0;
  const tops = data.map(() => base);
  return series.map(({ key, colour }) => {
    const bars = { whole: '', cut: '' };
    for (const [at, row] of data.entries()) {
      const value = row[key] ?? 0;
      if (value === 0) continue;
      const [from = 0, to = 0] = [x(row.fromMs, { position: 'start' }), x(row.fromMs, { position: 'end' })];
      const px = Math.max(MIN_BAR_PX, base - (y(value) ?? 0));
      const top = (tops[at] ?? base) - px;
      tops[at] = top;
      bars[isCut(row) ? 'cut' : 'whole'] += `M${from} ${top}H${Math.max(from + 1, to - 1)}v${px}H${from}z`;
    }
    return (
      <Fragment key={key}>
        <path d={bars.whole} fill={colour} />
        <path d={bars.cut} fill={colour} fillOpacity={0.3} stroke={colour} strokeDasharray="2 2" />
      </Fragment>
    );
  });
}

function Lines({ series, data }: MarksProps) {
  const [x, y] = [useXAxisScale(), useYAxisScale()];
  if (x === undefined || y === undefined) return null;
  return series.map(({ key, colour, dash, width = 1.3 }) => {
    const points = data.map((row) => {
      const value = row[key];
      return value == null ? undefined : `${x(row.fromMs, { position: 'middle' })} ${y(value)}`;
    });
    // A line of one point is invisible, so it is drawn as a short dash.
    const line = points.map((point, index) => {
      if (point === undefined) return '';
      if (points[index - 1] !== undefined) return `L${point}`;
      return points[index + 1] === undefined ? `M${point}h2` : `M${point}`;
    });
    return (
      <path
        key={key}
        d={line.join('')}
        fill="none"
        stroke={colour}
        strokeWidth={width}
        strokeDasharray={dash}
        strokeLinejoin="round"
      />
    );
  });
}
