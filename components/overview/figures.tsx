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

const TONES = { better: 'good', worse: 'bad', same: undefined };

type TileProps = { figure: (typeof FIGURES)[number]; shown: PanelState<'figures'>['shown'] };

function Tile({ figure: { id, label, hint, text, kind, rule, find }, shown }: TileProps) {
  const figure = shown && find(shown.figures, shown);
  const { value = null, before = null, verdict = 'same', overTime = [], aside, range, step } = figure ?? {};
  const change = changeText(value, before, kind);
  const problems = useProblemsOfOverview().answer?.problems;
  const tone = id === 'pending' && verdict === 'worse' ? stuckTone(problems) : TONES[verdict];
  const colour = tone && `var(--ks-${tone})`;
  // The tone is about stuck requests, so it colours their count and not that of all pending ones.
  const isStuck = id === 'pending' && tone !== undefined;
  const parked = useParked(shown);
  const changed = change === undefined || shown === undefined ? '' : `${change} ${comparedWith(id, shown)}`;
  const isNew = id === 'requests' && shown !== undefined && !hasSpanBefore(shown);
  const indexed =
    isNew && shown.logBeginsMs !== null
      ? `Indexed since ${formatUtcSeconds(shown.logBeginsMs).slice(0, 10)} UTC`
      : '';
  // The others are in the tooltip. What is stuck is more important than the change of all that is pending.
  const texts = id === 'pending' ? [aside, changed] : [indexed, changed, aside];
  const [line = '', ...others] = texts.filter(Boolean);
  const details = [
    changed && `Before: ${orDash(before, text)}`,
    ...others,
    range && `${range} ${step}`.trim(),
    changed && rule,
  ].filter(Boolean);
  const content = (
    <>
      <Muted size="sm" fw={550}>
        {label}{' '}
        {hint && (
          <Text span inherit fw={400} c="var(--ks-text-faint)">
            {hint}
          </Text>
        )}
      </Muted>
      <Group gap="xs" wrap="nowrap" h="2.1rem">
        <Text lh="2.1rem">
          <Text span fz="1.5rem" fw={600} inherit={false}>
            {orDash(value, text)}
          </Text>
          {id !== 'pending' || parked === 0 ? null : (
            <Text span size="sm" c="dimmed" title="Older than a day, alone, and not counted as stuck">
              {' '}
              incl. {countText(parked)} parked
            </Text>
          )}
        </Text>
        <Sparkline
          values={overTime}
          isShare={kind === 'share'}
          tone={isStuck ? undefined : tone}
          text={text}
        />
      </Group>
      <Text size="xs" c={colour ?? 'dimmed'} truncate mih="1lh" title={[line, ...details].join('. ')}>
        {line}
        {details.length === 0 ? null : <span className="sr-only">. {details.join('. ')}</span>}
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
