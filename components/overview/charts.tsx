'use client';
import type { Route } from 'next';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { TimeChart, TipLines, useSpanText } from '@/components/ui/charts/time-chart';
import type { Lane } from '@/components/ui/charts/time-plots';
import { DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { countOf } from '@/lib/core/numbers';
import type { SpanTotals } from '@/lib/core/span-figures';
import { clipped } from '@/lib/core/text';
import { formatSpan } from '@/lib/core/time';
import { countText, lengthText, orDash } from '@/lib/insights/format';
import { partOf, partPath } from '@/lib/insights/links';
import {
  bucketTotals,
  durationTicks,
  durationTickText,
  fewerTicks,
  LINES,
  MIN_BUCKET_CALLED,
} from '@/lib/insights/over-time';
import {
  BAR_PARTS,
  type BarCounts,
  type BarPart,
  barOfTotals,
  FAILED_PARTS,
  OTHER_PARTS,
  PART_LOOKS,
} from '@/lib/requests/bar-parts';
import classes from './overview.module.css';
import { emptyText, Panel } from './panel';
import { type PanelState, type ShowInsights, useInsights, useProblemsOfOverview } from './use-insights';

/** So low that the first networks fit below the charts on a screen of 900 pixels. */
const HEIGHT_PX = 304;
const WORDS_PX = 20;

type Shown = NonNullable<PanelState<'figures'>['shown']>;

export function Charts({ show }: { show: ShowInsights }) {
  const state = useInsights('figures');
  const { shown } = state;
  return (
    <Panel
      title="Requests over time"
      state={state}
      height={HEIGHT_PX + WORDS_PX}
      empty={shown?.figures.now.requests === 0 ? emptyText(shown, 'requests') : undefined}
    >
      {shown === undefined ? null : <Plot shown={shown} show={show} />}
    </Panel>
  );
}

type ChartBucket = Pick<SpanTotals, 'requests' | (typeof LINES)[number]['key']> &
  BarCounts & { fromMs: number };

function chartBuckets({ figures, buckets }: Shown): ChartBucket[] {
  return figures.overTime.map((totals, at) => {
    const { requests, p50Us, p95Us, p99Us } = bucketTotals(totals);
    const fromMs = buckets.fromMs + at * buckets.bucketMs;
    return { fromMs, requests, p50Us, p95Us, p99Us, ...barOfTotals(totals) };
  });
}

/** Rows that are no longer served, or of other states, are rare: without any, nothing names them. */
const shownParts = (data: readonly ChartBucket[], parts: readonly BarPart[] = BAR_PARTS) =>
  parts.filter((part) => (part !== 'unserved' && part !== 'unknown') || data.some((bar) => bar[part] > 0));

const seriesOf = (parts: readonly BarPart[]) =>
  parts.map((key) => ({ key, label: PART_LOOKS[key].label, colour: PART_LOOKS[key].bar }));

function lanesOf(data: readonly ChartBucket[], bucketMs: number): Lane[] {
  const per = `per ${formatSpan(bucketMs)}`;
  const lengths = data.flatMap((bucket) => LINES.flatMap(({ key }) => bucket[key] ?? []));
  return [
    {
      kind: 'bars',
      title: `Failures ${per}`,
      series: seriesOf(FAILED_PARTS),
      grow: 58,
      tickText: countText,
      tickCount: 2,
    },
    {
      kind: 'bars',
      title: `Not failed ${per}`,
      series: seriesOf(shownParts(data, OTHER_PARTS)),
      grow: 64,
      tickText: countText,
      tickCount: 3,
    },
    {
      kind: 'lines',
      title: 'Latency until logged, log scale',
      titleHint: `Of each ${formatSpan(bucketMs)} with at least ${MIN_BUCKET_CALLED} callbacks`,
      series: LINES,
      grow: 90,
      tickText: durationTickText,
      ticks: fewerTicks(durationTicks(lengths)),
    },
  ];
}

function Plot({ shown, show }: { shown: Shown; show: ShowInsights }) {
  const router = useRouter();
  const data = useMemo(() => chartBuckets(shown), [shown]);
  const lanes = useMemo(() => lanesOf(data, shown.buckets.bucketMs), [data, shown.buckets.bucketMs]);
  return (
    <>
      <div style={{ height: HEIGHT_PX }}>
        <TimeChart
          label="Time: Enter opens the requests, Shift and arrows select a range"
          buckets={data}
          span={shown}
          lanes={lanes}
          overlay={<ProblemMarks shown={shown} count={data.length} />}
          describeBuckets={(first, last) => {
            const { fromMs, toMs = shown.endMs } = partOf(shown, first, last);
            const buckets = data.slice(first, last + 1);
            const [only] = buckets;
            const sum = buckets.reduce((all, { requests }) => all + requests, 0);
            const p95 = first === last && only?.p95Us != null ? `, p95 ${lengthText(only.p95Us)}` : '';
            return {
              fromMs,
              toMs,
              announcement: `${countOf(sum, 'request')}${p95}`,
              tip:
                first === last && only ? <TipLines lines={linesOf(only)} /> : <span>Release to zoom in</span>,
            };
          }}
          onSelect={(first, last) => {
            const { fromMs, toMs = shown.endMs } = partOf(shown, first, last);
            if (first === last) router.push(partPath(shown, partOf(shown, first)));
            else show({ between: { fromMs: Math.floor(fromMs), toMs: Math.floor(toMs) } });
          }}
        />
      </div>
      <AsTable shown={shown} data={data} />
    </>
  );
}

/** A share of the chart. Nearer marks would have overlapping targets. */
const MIN_MARKS_APART = 0.025;

type MarksProps = { shown: Shown; count: number };

function ProblemMarks({ shown: { view, buckets }, count }: MarksProps) {
  const { fromMs, bucketMs } = buckets;
  const network = useNetworkName();
  const { words } = useSpanText();
  const problems = useProblemsOfOverview().answer?.problems ?? [];
  const ofView = problems.filter(
    ({ networks, unusual }) =>
      (view.networks.length === 0 || networks.some((id) => view.networks.includes(id))) &&
      (view.keepers.length === 0 || view.keepers.includes(unusual?.keeper ?? '')),
  );
  const marks = ofView.flatMap(({ id, kind, level, networks, about, text, sinceMs, isOfOldest, href }) => {
    if (sinceMs === null || (kind !== 'incident' && kind !== 'network')) return [];
    const share = (sinceMs - fromMs) / (bucketMs * count);
    if (share < 0 || share > 1) return [];
    const name = about === '' ? clipped(network(networks[0] ?? ''), 40) : about;
    const since = `${isOfOldest ? 'oldest' : 'since'} ${words(sinceMs)}`;
    return [{ id, level, at: share, href, title: `${name}: ${text}, ${since}` }];
  });
  // The most severe come first. Others close to one of them join its mark, which leads to all of them; each has its line.
  const apart: ((typeof marks)[number] & { near: { id: string; away: number }[] })[] = [];
  for (const mark of marks) {
    const first = apart.find(({ at }) => Math.abs(at - mark.at) < MIN_MARKS_APART);
    if (first === undefined) apart.push({ ...mark, near: [] });
    else {
      first.near.push({ id: mark.id, away: mark.at - first.at });
      Object.assign(first, { href: '/pending', title: `${first.title}\n${mark.title}` });
    }
  }
  return apart.length === 0 ? null : (
    <ul className={classes.marks} aria-label="Starts of current problems">
      {apart.map(({ id, level, at, href, title, near }) => (
        // Moved by a transform, which does not count as layout shift.
        <li key={id} data-level={level} style={{ translate: `${(100 * at).toFixed(2)}cqi` }}>
          <Link href={href as Route} title={title}>
            <Icon name="alert" size={13} />
            {near.length > 0 && <b aria-hidden="true">{near.length + 1}</b>}
            <span className="sr-only">{title}</span>
          </Link>
          {near.map(({ id: nearId, away }) => (
            <i key={nearId} style={{ translate: `${(100 * away).toFixed(2)}cqi` }} />
          ))}
        </li>
      ))}
    </ul>
  );
}

function linesOf(bucket: ChartBucket) {
  if (bucket.requests === 0) return [{ label: 'No requests', text: '' }];
  const parts = BAR_PARTS.filter((part) => bucket[part] > 0);
  return [
    ...parts.map((part) => ({ label: PART_LOOKS[part].label, text: countText(bucket[part]) })),
    ...LINES.flatMap(({ key, label }) => {
      const value = bucket[key];
      return value === null ? [] : { label, text: lengthText(value) };
    }),
  ];
}

function AsTable({ shown, data }: { shown: Shown; data: readonly ChartBucket[] }) {
  const [isOpen, setOpen] = useState(false);
  const { words } = useSpanText();
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <DataTable
          label={`Requests by state, and after what time they were logged, by ${formatSpan(shown.buckets.bucketMs)}`}
          variant="plain"
          miw={640}
          mah={360}
          columns={[
            { name: 'From', kind: 'head', cell: ({ fromMs }) => words(fromMs) },
            {
              name: 'Requests',
              kind: 'figure',
              cell: (bucket) => (
                <Link href={partPath(shown, partOf(shown, data.indexOf(bucket)))}>
                  {countText(bucket.requests)}
                </Link>
              ),
            },
            ...shownParts(data).map((part) => ({
              name: PART_LOOKS[part].label,
              kind: 'figure' as const,
              cell: (bucket: ChartBucket) => countText(bucket[part]),
            })),
            ...LINES.map(({ key, label }) => ({
              name: label,
              kind: 'figure' as const,
              cell: ({ [key]: value }: ChartBucket) => orDash(value, lengthText),
            })),
          ]}
          rows={data}
          rowProps={({ fromMs }) => ({ key: String(fromMs) })}
        />
      ) : null}
    </details>
  );
}
