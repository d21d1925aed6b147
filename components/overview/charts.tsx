'use client';
import { Group, Table } from '@mantine/core';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useTimeStyle } from '@/components/ui/time-style';
import { countOf } from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';
import { clockStyle, inputZone, shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import { countText, lengthText } from '@/lib/insights/format';
import { partOf, partPath, type Scope } from '@/lib/insights/links';
import {
  BARS,
  type ChartBucket,
  chartBuckets,
  LINES,
  spanText,
  tickText,
  timeTicks,
} from '@/lib/insights/over-time';
import classes from './overview.module.css';
import { Panel } from './panel';
import { AXIS_PX, CHART_PX, END_PX, TIMES_PX } from './plot-size';
import { type PanelState, type ShowInsights, useInsights } from './use-insights';

const Plots = dynamic(() => orNotice(import('./plots').then((part) => part.Plots)), {
  ssr: false,
  loading: () => <div style={{ height: HEIGHT_PX }} />,
});

const HEIGHT_PX = CHART_PX.requests + CHART_PX.lengths + TIMES_PX;
/** A shorter way of the pointer is no drag. */
const DRAG_PX = 4;

type Shown = NonNullable<PanelState<'figures'>['shown']>;

/** When requests came and what became of them, and how long callbacks took, over one axis of time. */
export function Charts({ show }: { show: ShowInsights }) {
  const state = useInsights('figures');
  const { shown } = state;
  const isEmpty = shown !== undefined && shown.figures.now.requests === 0;
  return (
    <Panel
      title="Requests and time to callback"
      state={state}
      height={HEIGHT_PX + 34}
      empty={isEmpty ? 'No requests in this span' : undefined}
      beside={<Legend />}
    >
      {shown === undefined ? null : (
        <>
          <Plot shown={shown} show={show} />
          <AsTable shown={shown} />
        </>
      )}
    </Panel>
  );
}

function Legend() {
  return (
    <Group component="ul" gap="sm" className={classes.legend} aria-label="Legend">
      {BARS.map(({ key, label, colour }) => (
        <li key={key}>
          <i style={{ background: colour }} /> {label}
        </li>
      ))}
      {LINES.map(({ key, label, colour, dash }) => (
        <li key={key}>
          <svg width="16" height="6" aria-hidden="true">
            <path d="M0 3H16" stroke={colour} strokeWidth="2" strokeDasharray={dash} />
          </svg>{' '}
          {label}
        </li>
      ))}
      <li>log scale</li>
    </Group>
  );
}

/** Where somebody points: a bucket, and where a drag began. */
type Pointed = { at: number; anchor?: number };

/** Both charts, and above them one crosshair that pointer and keys move: a click opens rows, a drag chooses the span. */
function Plot({ shown, show }: { shown: Shown; show: ShowInsights }) {
  const style = useTimeStyle();
  const router = useRouter();
  const area = useRef<HTMLDivElement>(null);
  const drag = useRef<{ anchor: number; x: number }>(undefined);
  const [pointed, point] = useState<Pointed>();
  const data = useMemo(() => chartBuckets(shown), [shown]);
  const ticks = useMemo(
    () => timeTicks(data, zoneOffsetMs(shown.startMs, inputZone(style))),
    [data, shown.startMs, style],
  );
  const last = data.length - 1;
  const words = (ms: number) => shownMoment(ms, clockStyle(style), ms);
  const at = Math.min(pointed?.at ?? last, last);
  const anchor = Math.min(pointed?.anchor ?? at, last);

  function open({ at: one, anchor: other = one }: Pointed) {
    const part = partOf(shown, one, other);
    if (one === other) return router.push(partPath(shown, part));
    point(undefined);
    show({ between: { fromMs: Math.floor(part.fromMs), toMs: Math.floor(part.toMs ?? shown.endMs) } });
  }
  function under(event: PointerEvent): Pointed {
    const { left, width } = (area.current ?? event.currentTarget).getBoundingClientRect();
    const x = (event.clientX - left) / Math.max(1, width);
    const found = Math.max(0, Math.min(last, Math.floor(x * data.length)));
    const begun = drag.current;
    const isDrag = begun !== undefined && Math.abs(event.clientX - begun.x) >= DRAG_PX;
    return isDrag ? { at: found, anchor: begun.anchor } : { at: found };
  }
  function press(event: KeyboardEvent) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[
      event.key
    ];
    const far = { Home: 0, End: last }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (step !== undefined || far !== undefined) {
      const to = Math.max(0, Math.min(last, far ?? at + (step ?? 0)));
      point(event.shiftKey ? { at: to, anchor } : { at: to });
    } else if (event.key === 'Enter') open({ at, anchor });
    else if (event.key === 'Escape' && pointed !== undefined) point(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const [from, to] = at < anchor ? [at, anchor] : [anchor, at];
  const bucket = data[at];
  const times = (one: number, other: number) => {
    const { fromMs, toMs } = partOf(shown, one, other);
    return spanText(words(fromMs), words(toMs ?? shown.endMs));
  };
  return (
    <div className={classes.plot}>
      <Plots data={data} ticks={ticks} tickWords={(ms, unit) => tickText(words(ms), unit)} />
      <div
        ref={area}
        className={classes.pointer}
        style={{ insetInline: `${AXIS_PX}px ${END_PX}px`, height: HEIGHT_PX - TIMES_PX }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          drag.current = { anchor: under(event).at, x: event.clientX };
          event.currentTarget.setPointerCapture(event.pointerId);
          point(under(event));
        }}
        onPointerMove={(event) => point(under(event))}
        onPointerUp={(event) => {
          const ended = under(event);
          const hasBegun = drag.current !== undefined;
          drag.current = undefined;
          if (hasBegun) open(ended);
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => (drag.current === undefined ? point(undefined) : undefined)}
      >
        <input
          type="range"
          aria-label="Time: Enter opens the requests, with Shift and arrows it chooses a span"
          min={0}
          max={last}
          value={at}
          aria-valuetext={bucket && `${times(from, to)}: ${bucketText(data.slice(from, to + 1))}`}
          onChange={(event) => point({ at: Number(event.currentTarget.value) })}
          onFocus={() => point({ at })}
          onBlur={() => point(undefined)}
          onKeyDown={press}
        />
        {pointed === undefined || bucket === undefined ? null : (
          <>
            <span
              className={classes.crosshair}
              data-span={from !== to || undefined}
              style={{
                insetInlineStart: `${(from / data.length) * 100}%`,
                width: `${((to - from + 1) / data.length) * 100}%`,
              }}
            />
            <Tip
              bucket={bucket}
              title={times(from, to)}
              place={(at + 0.5) / data.length}
              isSpan={from !== to}
            />
          </>
        )}
      </div>
    </div>
  );
}

function bucketText(buckets: readonly ChartBucket[]): string {
  const sum = buckets.reduce((all, { requests }) => all + requests, 0);
  const [only, ...more] = buckets;
  const p95 =
    only === undefined || more.length > 0 || only.p95 === null ? '' : `, p95 ${lengthText(only.p95)}`;
  return `${countOf(String(sum), 'request', 'requests')}${p95}`;
}

function Tip({
  bucket,
  title,
  place,
  isSpan,
}: {
  bucket: ChartBucket;
  title: string;
  place: number;
  isSpan: boolean;
}) {
  const isLeft = place > 0.5;
  return (
    <div
      className={classes.tip}
      data-side={isLeft ? 'left' : 'right'}
      style={isLeft ? { insetInlineEnd: `${(1 - place) * 100}%` } : { insetInlineStart: `${place * 100}%` }}
      aria-hidden="true"
    >
      <b>{title}</b>
      {isSpan ? (
        <span>Release to zoom in</span>
      ) : (
        <>
          {BARS.filter(({ key }) => bucket[key] > 0).map(({ key, label }) => (
            <span key={key}>
              {label} <b>{countText(bucket[key])}</b>
            </span>
          ))}
          {bucket.requests === 0 ? <span>No requests</span> : null}
          {LINES.map(({ key, label }) => {
            const value = bucket[key];
            return value === null ? null : (
              <span key={key}>
                {label} <b>{lengthText(value)}</b>
              </span>
            );
          })}
        </>
      )}
    </div>
  );
}

/** The same figures to read, each bucket with the way to its rows. */
function AsTable({ shown }: { shown: Shown }) {
  const [isOpen, setOpen] = useState(false);
  const style = useTimeStyle();
  const words = (ms: number) => shownMoment(ms, clockStyle(style), ms);
  return (
    <details className={classes.asTable} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <Table.ScrollContainer minWidth={640} maxHeight={360}>
          <Table verticalSpacing={2} className="num">
            <caption className="sr-only">
              Requests by state and time to callback, by {formatSpan(shown.buckets.bucketMs)}
            </caption>
            <Table.Thead>
              <Table.Tr>
                {['From', 'Requests', ...[...BARS, ...LINES].map(({ label }) => label)].map((name) => (
                  <Table.Th key={name} scope="col">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {chartBuckets(shown).map((bucket, at) => (
                <Table.Tr key={bucket.fromMs}>
                  <Table.Th scope="row">{words(bucket.fromMs)}</Table.Th>
                  <Table.Td>
                    <BucketLink scope={shown} buckets={shown.buckets} at={at} requests={bucket.requests} />
                  </Table.Td>
                  {BARS.map(({ key }) => (
                    <Table.Td key={key}>{countText(bucket[key])}</Table.Td>
                  ))}
                  {LINES.map(({ key }) => {
                    const value = bucket[key];
                    return <Table.Td key={key}>{value === null ? '–' : lengthText(value)}</Table.Td>;
                  })}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : null}
    </details>
  );
}

function BucketLink({
  scope,
  buckets,
  at,
  requests,
}: {
  scope: Scope;
  buckets: Shown['buckets'];
  at: number;
  requests: number;
}) {
  return (
    <Link href={partPath(scope, partOf({ ...scope, buckets }, at))} prefetch={false}>
      {countText(requests)}
    </Link>
  );
}
