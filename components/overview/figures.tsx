'use client';
import { Group, Text } from '@mantine/core';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { formatUtcSeconds } from '@/lib/core/time';
import { comparedWith, FIGURES, hasSpanBefore } from '@/lib/insights/figures';
import { changeText, countText, orDash } from '@/lib/insights/format';
import { rowsPath } from '@/lib/insights/links';
import { useRevision } from '@/lib/requests/client/revision-stream';
import classes from './overview.module.css';
import { Panel, Sparkline } from './panel';
import { stuckTone } from './stuck-tone';
import { type PanelState, useInsights, useProblemsOfOverview } from './use-insights';

export function Figures() {
  const state = useInsights('figures');
  const { shown, trouble } = state;
  if (shown === undefined && trouble !== undefined) {
    return (
      <Panel title="Figures" state={state} height={86} empty={undefined}>
        {null}
      </Panel>
    );
  }
  return (
    <section aria-label="Figures" aria-busy={shown === undefined}>
      <ul className={classes.figures} data-outdated={state.isOutdated || undefined}>
        {FIGURES.map((figure) => (
          <li key={figure.id} data-figure={figure.id}>
            <Tile figure={figure} shown={shown} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Pending requests that are not stuck. 0 if the view has only some of the networks or keepers. */
function useParked(shown: PanelState<'figures'>['shown']): number {
  const update = useRevision();
  const { networks = [], keepers = [] } = shown?.view ?? {};
  return networks.length + keepers.length > 0 ? 0 : (update?.pending?.parked ?? 0);
}

const RANGE_HINT = 'At least four fifths of the steps of the chart that have a value are in this range';

const TONES = { better: 'good', worse: 'bad', same: undefined };

type TileProps = { figure: (typeof FIGURES)[number]; shown: PanelState<'figures'>['shown'] };

function Tile({ figure: { id, label, text, kind, rule, limit, find }, shown }: TileProps) {
  const figure = shown && find(shown.figures, shown);
  const { value = null, before = null, verdict = 'same', overTime = [], aside, range, step } = figure ?? {};
  const change = changeText(value, before, kind);
  const problems = useProblemsOfOverview().answer?.problems;
  const tone = id === 'pending' && verdict === 'worse' ? stuckTone(problems) : TONES[verdict];
  const colour = tone && `var(--ks-${tone})`;
  // The tone is about stuck requests, so it colours their count and not that of all pending ones.
  const isStuck = id === 'pending' && tone !== undefined;
  const parked = useParked(shown);
  const content = (
    <>
      <Muted size="sm" fw={550}>
        {label}
      </Muted>
      <Group gap="xs" wrap="nowrap" h="2.1rem">
        <Text lh="2.1rem">
          <Text span fz="1.5rem" fw={600} inherit={false}>
            {orDash(value, text)}
          </Text>
          {id !== 'pending' || parked === 0 ? null : (
            <Text span size="sm" c="dimmed" title="Older than a day, alone, and not counted as stuck">
              {' '}
              · {countText(parked)} parked
            </Text>
          )}
        </Text>
        <Sparkline values={overTime} isShare={kind === 'share'} tone={isStuck ? undefined : tone} />
      </Group>
      <Text size="xs" c={(isStuck ? undefined : colour) ?? 'dimmed'} truncate mih="1lh">
        {id === 'requests' && shown !== undefined && !hasSpanBefore(shown) && shown.logBeginsMs !== null
          ? `Indexed since ${formatUtcSeconds(shown.logBeginsMs).slice(0, 10)} UTC`
          : null}
        {change === undefined || shown === undefined ? null : (
          <span title={[`Before: ${orDash(before, text)}`, rule].filter(Boolean).join('. ')} data-change="">
            {change} {comparedWith(id, shown)}
            <span className="sr-only"> ({orDash(before, text)})</span>
          </span>
        )}
      </Text>
      {colour === undefined || limit === undefined ? (
        <Muted size="xs" className={classes.range} title={range ? RANGE_HINT : undefined}>
          {range} {range ? <span data-of={kind}>{step}</span> : null}
        </Muted>
      ) : (
        <Muted size="xs" className={classes.range} title={rule}>
          {limit}
        </Muted>
      )}
      <Text size="xs" c={(isStuck ? colour : undefined) ?? 'dimmed'} truncate mih="1lh" title={aside}>
        {aside}
      </Text>
    </>
  );
  return shown === undefined || figure === undefined ? (
    <div className={classes.tile}>{content}</div>
  ) : (
    <Link href={rowsPath(shown, figure.view)} className={classes.tile} data-rows={figure.rows}>
      {content}
    </Link>
  );
}
