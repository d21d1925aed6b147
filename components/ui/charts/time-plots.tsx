'use client';
import { memo } from 'react';
import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, XAxis, YAxis } from 'recharts';
import type { TimeTick } from './time-axis';

/** Charts over time, by the chart library: loaded after the page. */

/** A bucket: when it begins, unix ms, and its value of each series; null: none. */
export type ChartRow = { fromMs: number } & { [series: string]: number | null };

export type Series = {
  key: string;
  label: string;
  colour: string;
  dash?: string | undefined;
  width?: number;
};

/** One plot: bars upon one another, or lines on a scale on which each of the `ticks` is several times the one before. */
export type Lane = {
  kind: 'bars' | 'lines';
  series: readonly Series[];
  /** Its part of the height. */
  grow: number;
  tickText: (value: number) => string;
  ticks?: number[];
  tickCount?: number;
};

/** What `time-chart.module.css` leaves out beside and below the plots, CSS pixels. */
const [AXIS_PX, END_PX, TIMES_PX] = [56, 8, 18];
const GRID = 'var(--ks-chart-grid)';
const TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const BARE = { tick: TICK, axisLine: false, tickLine: false } as const;

type Props = {
  data: ChartRow[];
  lanes: readonly Lane[];
  ticks: readonly TimeTick[];
  tickWords: (ms: number, unit: TimeTick['unit']) => string;
};

export const TimePlots = memo(
  function TimePlots({ data, lanes, ticks, tickWords }: Props) {
    const units = new Map(ticks.map(({ ms, unit }) => [ms, unit]));
    return (
      <div aria-hidden="true" style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
        {lanes.map((lane, at) => {
          const { kind, series, grow, tickText, tickCount, ticks: own } = lane;
          const isLast = at === lanes.length - 1;
          const Chart = kind === 'bars' ? BarChart : LineChart;
          const scale = own && { scale: 'log' as const, domain: [own[0] ?? 1, own.at(-1) ?? 2], ticks: own };
          return (
            <div key={series[0]?.key} style={{ flex: `${grow} 1 ${isLast ? TIMES_PX : 0}px`, minHeight: 0 }}>
              <ResponsiveContainer>
                <Chart
                  data={data}
                  margin={{ top: 8, right: END_PX, bottom: 0, left: 0 }}
                  barCategoryGap={1}
                  accessibilityLayer={false}
                >
                  <CartesianGrid vertical={false} stroke={GRID} />
                  <XAxis
                    dataKey="fromMs"
                    hide={!isLast}
                    scale="band"
                    ticks={ticks.map(({ ms }) => ms)}
                    tickFormatter={(ms: number) => tickWords(ms, units.get(ms) ?? 'minute')}
                    interval="preserveStart"
                    height={TIMES_PX}
                    tick={TICK}
                    tickSize={4}
                    axisLine={{ stroke: GRID }}
                    tickLine={{ stroke: GRID }}
                  />
                  <YAxis
                    width={AXIS_PX}
                    tickCount={tickCount}
                    allowDecimals={false}
                    allowDataOverflow={own !== undefined}
                    tickFormatter={tickText}
                    {...BARE}
                    {...scale}
                  />
                  {series.map((one) => (kind === 'bars' ? barsOf(one, data) : lineOf(one, data)))}
                </Chart>
              </ResponsiveContainer>
            </div>
          );
        })}
      </div>
    );
  },
  // The words of a tick follow from the zone, and with it from the ticks.
  (one, other) => one.data === other.data && one.ticks === other.ticks,
);

function barsOf({ key, colour }: Series, data: readonly ChartRow[]) {
  return (
    <Bar
      key={key}
      dataKey={key}
      stackId="bars"
      fill={colour}
      // A single row among thousands must not vanish.
      minPointSize={(_, at) => (at !== null && (data[at]?.[key] ?? 0) > 0 ? 2 : 0)}
      isAnimationActive={false}
    />
  );
}

function lineOf({ key, colour, dash, width = 1.3 }: Series, data: readonly ChartRow[]) {
  return (
    <Line
      key={key}
      type="linear"
      dataKey={key}
      stroke={colour}
      strokeWidth={width}
      strokeDasharray={dash}
      // Between two buckets without a value a line would be nothing.
      dot={({ index = 0, cx, cy }) =>
        data[index - 1]?.[key] == null && data[index + 1]?.[key] == null && data[index]?.[key] != null ? (
          <circle key={`${key}${index}`} cx={cx} cy={cy} r={1.5} fill={colour} />
        ) : (
          <g key={`${key}${index}`} />
        )
      }
      activeDot={false}
      isAnimationActive={false}
    />
  );
}
