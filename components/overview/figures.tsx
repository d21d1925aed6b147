'use client';
import { Text } from '@mantine/core';
import { Link } from '@/components/ui/link';
import { Soft } from '@/components/ui/text';
import { countOf } from '@/lib/core/numbers';
import type { SpanTotals } from '@/lib/core/span-figures';
import { formatAge } from '@/lib/core/time';
import type { PendingNow } from '@/lib/insights/answer';
import { FIGURES, type Figure, type FigureId, sixFigures } from '@/lib/insights/figures';
import { changeText, countText, figureText, shareText } from '@/lib/insights/format';
import { figureRows, type Scope } from '@/lib/insights/links';
import classes from './overview.module.css';
import { Panel, Sparkline } from './panel';
import { useInsights } from './use-insights';

const LABELS: Record<FigureId, string> = {
  requests: 'Requests',
  'success-rate': 'Success rate',
  'callback-failures': 'Callback failures',
  p50: 'Time to callback p50',
  p95: 'Time to callback p95',
  pending: 'Pending now',
};

/** Six figures, each with its change against the span before, and the way to the rows that it counts. */
export function Figures() {
  const state = useInsights('figures');
  const { shown, trouble } = state;
  if (shown === undefined && trouble !== undefined) {
    return (
      <Panel title="Figures" state={state} height={76} empty={undefined}>
        {null}
      </Panel>
    );
  }
  return (
    <section aria-label="Figures" aria-busy={shown === undefined}>
      <ul className={classes.figures} data-outdated={state.isOutdated || undefined}>
        {(shown === undefined ? NONE : sixFigures(shown.figures)).map((figure) => (
          <li key={figure.id} data-figure={figure.id}>
            {shown === undefined ? (
              <div className={classes.tile}>
                <Tile figure={figure} aside="" />
              </div>
            ) : (
              <TileLink figure={figure} scope={shown} {...shown.figures} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Before the first answer. */
const NONE = FIGURES.map((id): Figure => {
  return { id, value: null, before: null, change: null, verdict: 'same', overTime: [] };
});

type TileProps = { figure: Figure; scope: Scope; now: SpanTotals; pending: PendingNow };

function TileLink({ figure, scope, now, pending }: TileProps) {
  const { rows, href } = figureRows(figure.id, scope, now, pending.pending);
  return (
    <Link href={href} className={classes.tile} data-rows={rows}>
      <Tile figure={figure} aside={asideText(figure.id, rows, now, pending, scope.endMs)} />
    </Link>
  );
}

/** What the value is of, in few words. */
function asideText(id: FigureId, rows: number, now: SpanTotals, pending: PendingNow, endMs: number): string {
  const { completed, callbackFailed, failed } = now;
  const finished = completed + callbackFailed + failed;
  switch (id) {
    case 'requests':
      return '';
    case 'success-rate':
      return failed === 0
        ? `of ${countText(rows)} finished`
        : `${countText(failed)} of ${countText(rows)} failed`;
    case 'callback-failures':
      return finished === 0 ? '' : `${shareText(callbackFailed / finished)} of finished`;
    case 'p50':
    case 'p95':
      return `of ${countOf(String(rows), 'callback', 'callbacks')}`;
    case 'pending': {
      const oldest = pending.oldestUs === null ? '' : `oldest ${formatAge(endMs - pending.oldestUs / 1000)}`;
      return pending.stuck === 0 ? oldest : `${countText(pending.stuck)} stuck, ${oldest}`;
    }
  }
}

const TONES = { better: 'good', worse: 'bad', same: undefined };

function Tile({ figure, aside }: { figure: Figure; aside: string }) {
  const { id, value, before, verdict, overTime } = figure;
  const change = changeText(figure);
  const tone = TONES[verdict];
  const colour = tone && `var(--ks-${tone})`;
  // Those that are stuck are the trouble, not how many are pending.
  const isStuck = id === 'pending' && tone !== undefined;
  return (
    <>
      <Soft size="sm" fw={550}>
        {LABELS[id]}
      </Soft>
      <Text lh="2.1rem" h="2.1rem">
        <Text span fz="1.5rem" fw={600} inherit={false}>
          {figureText(id, value)}
        </Text>{' '}
        {change === undefined ? null : (
          <Text
            span
            c={(isStuck ? undefined : colour) ?? 'dimmed'}
            title={`Before: ${figureText(id, before)}`}
          >
            {change}
            <span className="sr-only"> against the previous range ({figureText(id, before)})</span>
          </Text>
        )}
      </Text>
      <Text size="xs" c={(isStuck ? colour : undefined) ?? 'dimmed'} truncate>
        {aside}
      </Text>
      <Sparkline values={overTime} tone={isStuck ? undefined : tone} />
    </>
  );
}
