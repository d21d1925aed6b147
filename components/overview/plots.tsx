'use client';
import { memo } from 'react';
import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, XAxis, YAxis } from 'recharts';
import { countText } from '@/lib/insights/format';
import {
  BARS,
  type ChartBucket,
  LINES,
  lengthTicks,
  lengthTickText,
  type TimeTick,
} from '@/lib/insights/over-time';
import { AXIS_PX, CHART_PX, END_PX, TIMES_PX } from './plot-size';

/** The only file of the overview that touches the chart library; it is loaded after the page. */

const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };
const TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const MARGIN = { top: 6, right: END_PX, bottom: 0, left: 0 };

type Props = {
  data: ChartBucket[];
  ticks: TimeTick[];
  tickWords: (ms: number, unit: TimeTick['unit']) => string;
};

export const Plots = memo(
  function Plots({ data, ticks, tickWords }: Props) {
    const lengths = lengthTicks(data.flatMap((bucket) => LINES.flatMap(({ key }) => bucket[key] ?? [])));
    const units = new Map(ticks.map(({ ms, unit }) => [ms, unit]));
    return (
      <div aria-hidden="true">
        <ResponsiveContainer height={CHART_PX.requests}>
          <BarChart
            data={data}
            margin={MARGIN}
            barCategoryGap={1}
            accessibilityLayer={false}
            syncId="overview"
          >
            <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" />
            <XAxis dataKey="fromMs" hide />
            <YAxis
              width={AXIS_PX}
              allowDecimals={false}
              tickCount={4}
              tickFormatter={countText}
              tick={TICK}
              axisLine={false}
              tickLine={false}
            />
            {BARS.map(({ key, colour }) => (
              <Bar
                key={key}
                dataKey={key}
                stackId="states"
                fill={colour}
                // A single row among thousands must not vanish.
                minPointSize={(_, at) => (at !== null && (data[at]?.[key] ?? 0) > 0 ? 2 : 0)}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
        <ResponsiveContainer height={CHART_PX.lengths + TIMES_PX}>
          <LineChart data={data} margin={MARGIN} accessibilityLayer={false} syncId="overview">
            <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" />
            <XAxis
              dataKey="fromMs"
              scale="band"
              ticks={ticks.map(({ ms }) => ms)}
              tickFormatter={(ms: number) => tickWords(ms, units.get(ms) ?? 'minute')}
              interval="preserveStart"
              height={TIMES_PX}
              tick={TICK}
              tickSize={4}
              axisLine={AXIS_LINE}
              tickLine={AXIS_LINE}
            />
            <YAxis
              width={AXIS_PX}
              scale="log"
              domain={[lengths[0] ?? 1, lengths.at(-1) ?? 2]}
              allowDataOverflow
              ticks={lengths}
              tickFormatter={lengthTickText}
              tick={TICK}
              axisLine={false}
              tickLine={false}
            />
            {LINES.map(({ key, colour, dash }) => (
              <Line
                key={key}
                type="linear"
                dataKey={key}
                stroke={colour}
                strokeWidth={key === 'p95' ? 1.8 : 1.3}
                strokeDasharray={dash}
                // Between two buckets without callbacks a line would be nothing.
                dot={({ index = 0, cx, cy }) =>
                  data[index - 1]?.[key] == null &&
                  data[index + 1]?.[key] == null &&
                  data[index]?.[key] != null ? (
                    <circle key={`${key}${index}`} cx={cx} cy={cy} r={1.5} fill={colour} />
                  ) : (
                    <g key={`${key}${index}`} />
                  )
                }
                activeDot={false}
                isAnimationActive={false}
              />
            ))}
          </LineChart>
        </ResponsiveContainer>
      </div>
    );
  },
  // The words of a tick follow from the zone, and with it from the ticks.
  (one, other) => one.data === other.data && one.ticks === other.ticks,
);
