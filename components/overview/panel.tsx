'use client';
import { Center, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Muted, SmallButton } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { parseIsoTime } from '@/lib/core/time';
import classes from './overview.module.css';
import type { PanelState } from './use-insights';

type PanelProps = {
  title: string;
  /** Right end of the head, shown together with the content. */
  aside?: ReactNode;
  state: PanelState<never>;
  /** Minimum height of the content: CSS pixels, or a CSS length. */
  height: number | string;
  /** Text if the span has nothing to show. */
  empty: string | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/** Says `indexed` if the range is only partly indexed. */
export const emptyText = ({ covered }: { covered: { span: boolean } }, what: string) =>
  `No ${what} ${covered.span ? '' : 'indexed '}in this range`;

/** The height of a panel is reserved before the content loads. An empty or failed panel shows the reason. */
export function Panel({ title, aside, state, height, empty, className, children }: PanelProps) {
  const titleId = useId();
  const moment = useSteadyWords();
  const { shown, isOutdated, trouble, again } = state;
  const atMs = parseIsoTime(shown?.asof ?? '');
  const retry = <SmallButton onClick={again}>Try again</SmallButton>;
  return (
    <Paper
      component="section"
      withBorder
      radius="lg"
      px="md"
      pt="sm"
      pb="md"
      className={className}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" gap="xs" mih={24} mb="xs">
        <Group gap="sm" wrap="nowrap" flex={1}>
          <Title order={2} id={titleId} flex="none" maw="100%">
            {title}
          </Title>
          {/* Uses the space that is left, so that it pushes nothing into another line. */}
          {shown === undefined || shown.covered.span ? null : (
            <Text
              span
              size="sm"
              c="var(--ks-wait)"
              w={0}
              flex={1}
              truncate
              title="Not all of this range is indexed"
            >
              Partial: not all of this range is indexed
            </Text>
          )}
        </Group>
        {shown !== undefined && trouble !== undefined ? (
          <Group role="alert" gap="xs" c="var(--ks-bad)">
            {trouble.title}. {atMs === undefined ? '' : `Stale since ${moment(atMs)}.`} {retry}
          </Group>
        ) : shown !== undefined && empty === undefined ? (
          <Muted component="div" size="sm" className="num">
            {aside}
          </Muted>
        ) : null}
      </Group>
      <div
        style={{ minHeight: height }}
        data-outdated={isOutdated || undefined}
        aria-busy={shown === undefined && trouble === undefined}
      >
        {shown !== undefined && empty === undefined ? (
          children
        ) : (
          <Center h={height}>
            {shown !== undefined ? (
              <Muted>{empty}</Muted>
            ) : trouble === undefined ? (
              <Loader size="sm" color="gray" type="dots" aria-label="Loading" />
            ) : (
              <Stack role="alert" align="center" gap={4} ta="center">
                <Text fw={600}>{trouble.title}.</Text>
                <Muted>{trouble.nextStep}</Muted>
                {retry}
              </Stack>
            )}
          </Center>
        )}
      </div>
    </Paper>
  );
}

/** Geometry of a sparkline in a viewBox of 100 by 24: the y of zero, and the height of the highest point. */
const [BOTTOM, RISE] = [22.5, 21];

type SparklineProps = {
  values: readonly (number | null)[];
  tone?: string | undefined;
  isShare?: boolean;
  /** Formats both ends of the scale, which stand beside the line. */
  text: (value: number) => string;
};

/** A count begins at 0. A share begins at 90%, or lower if it fell below, because it would be a flat line otherwise. */
export function Sparkline({ values, tone, isShare = false, text }: SparklineProps) {
  const low = Math.min(0.9, ...values.map((value) => value ?? 1));
  const min = isShare ? Math.floor(low * 10) / 10 : 0;
  const max = isShare ? 1 : Math.max(0, ...values.map(Number));
  const points = values.flatMap((value, at) => {
    const [x, y] = [(100 * at) / (values.length - 1), BOTTOM - (RISE * ((value ?? 0) - min)) / (max - min)];
    return value === null ? [] : [`${x.toFixed(1)} ${y.toFixed(1)}`];
  });
  const [first = ''] = points;
  const isFlat = points.length < 2 || max === 0;
  return (
    <span className={classes.scaled} aria-hidden="true">
      <svg
        className={classes.spark}
        viewBox="0 0 100 24"
        preserveAspectRatio="none"
        aria-hidden="true"
        style={tone === undefined ? undefined : { color: `var(--ks-${tone})` }}
      >
        {isFlat ? (
          <path d={`M0 ${BOTTOM}H100`} className={classes.flat} />
        ) : (
          <>
            <path d={`M${points.join('L')}V24H${first.split(' ')[0]}z`} className={classes.area} />
            <path d={`M${points.join('L')}`} />
          </>
        )}
      </svg>
      <small title="Scale of the line">
        {isFlat ? null : (
          <>
            <span>{text(max)}</span>
            <span>{min === 0 ? '0' : text(min)}</span>
          </>
        )}
      </small>
    </span>
  );
}
