'use client';
import { Button, Group, Loader, Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useSteadyWords } from '@/components/ui/time-style';
import { parseIsoTime } from '@/lib/core/time';
import type { Insights, Panel as PanelName } from '@/lib/insights/answer';
import classes from './overview.module.css';
import type { PanelState } from './use-insights';

/**
 * The frame of a part of the overview: it has its height before there is anything to show, and says why where there is
 * nothing.
 * @param height of what it holds, CSS pixels at least
 * @param empty what to say where the span has nothing of this; undefined where it has
 */
export function Panel<Name extends PanelName>({
  title,
  beside,
  state,
  height,
  empty,
  children,
}: {
  title: string;
  beside?: ReactNode;
  state: PanelState<Name>;
  height: number;
  empty: string | undefined;
  children: ReactNode;
}) {
  const titleId = useId();
  const { shown, isOutdated } = state;
  return (
    <Paper component="section" withBorder className={classes.panel} aria-labelledby={titleId}>
      <Group className={classes.head} justify="space-between" gap="xs" mih={24}>
        <Group gap="sm">
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {shown === undefined ? null : <Reach answer={shown} />}
        </Group>
        {shown === undefined ? null : state.trouble !== undefined ? (
          <Trouble state={state} />
        ) : empty === undefined ? (
          beside
        ) : null}
      </Group>
      <div
        className={classes.body}
        style={{ minHeight: height }}
        data-outdated={isOutdated || undefined}
        aria-busy={shown === undefined && state.trouble === undefined}
      >
        {shown === undefined || empty !== undefined ? <Instead state={state} empty={empty} /> : children}
      </div>
    </Paper>
  );
}

/** How far back the index reaches, where that is not the whole span. */
export function Reach({ answer: { covered } }: { answer: Pick<Insights, 'covered'> }) {
  if (covered.span) return null;
  return (
    <Text span size="sm" c="var(--ks-wait)">
      Partial: history is still loading
    </Text>
  );
}

/** Figures that could not be had anew. */
function Trouble<Name extends PanelName>({ state: { shown, trouble, again } }: { state: PanelState<Name> }) {
  const moment = useSteadyWords();
  if (trouble === undefined) return null;
  const atMs = parseIsoTime(shown?.asof ?? '');
  return (
    <Group role="alert" gap="xs" className={classes.trouble}>
      <span>
        {trouble.title}. {atMs === undefined ? '' : `Stale since ${moment(atMs)}.`}
      </span>
      <Button size="compact-xs" onClick={again}>
        Try again
      </Button>
    </Group>
  );
}

function Instead<Name extends PanelName>({
  state: { shown, trouble, again },
  empty,
}: {
  state: PanelState<Name>;
  empty: string | undefined;
}) {
  if (shown !== undefined) return <Text c="dimmed">{empty}</Text>;
  if (trouble === undefined) return <Loader size="sm" color="gray" type="dots" aria-label="Loading" />;
  return (
    <div role="alert" className={classes.failed}>
      <Text fw={600}>{trouble.title}.</Text>
      <Text c="dimmed">{trouble.todo}</Text>
      <Button mt="xs" onClick={again}>
        Try again
      </Button>
    </div>
  );
}

/** So many parts of the height are left above the highest point, and below the lowest. */
const EDGE = 1.5;
const BOX = { width: 100, height: 24 };

/** How a figure moved over the span; it says nothing that the figures don't, and has no axis. */
export function Sparkline({ values, tone }: { values: readonly (number | null)[]; tone?: string }) {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 0)];
  const x = (at: number) => (at / Math.max(1, values.length - 1)) * BOX.width;
  const y = (value: number) =>
    BOX.height -
    EDGE -
    ((value - least) / Math.max(Number.MIN_VALUE, most - least)) * (BOX.height - 2 * EDGE);
  const points = values.flatMap((value, at) =>
    value === null ? [] : [`${x(at).toFixed(1)} ${y(value).toFixed(1)}`],
  );
  const [first = ''] = points;
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${BOX.width} ${BOX.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={tone === undefined ? undefined : { color: `var(--ks-${tone})` }}
    >
      {points.length < 2 || most === least ? (
        <path d={`M0 ${BOX.height - EDGE}H${BOX.width}`} className={classes.flat} />
      ) : (
        <>
          <path d={`M${points.join('L')}V${BOX.height}H${first.split(' ')[0]}z`} className={classes.area} />
          <path d={`M${points.join('L')}`} />
        </>
      )}
    </svg>
  );
}
