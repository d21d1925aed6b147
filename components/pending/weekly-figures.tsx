import { Badge } from '@mantine/core';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Muted, Section } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { type IncidentHistory, longestText, type Week, weekNote } from '@/lib/alerts/history';
import { groupDigits } from '@/lib/core/numbers';
import { shareText } from '@/lib/core/span-figures';
import { formatDuration } from '@/lib/core/time';

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Figures of the last 13 weeks, regardless of the range. */
export function WeeklyFigures({ history }: { history: IncidentHistory }) {
  const { weeks, indexedFromMs, recordedFromMs, degradedFromMs, nowMs } = history;
  const moment = useSteadyWords();
  return (
    <Section title="Weekly figures">
      {/* Above the table, which grows while the log is read. */}
      <Muted size="sm">
        {indexedFromMs === null ? '' : `Indexed since ${dayOf(indexedFromMs)}. `}
        {recordedFromMs === null
          ? 'Incidents are not recorded of all keepers yet. '
          : `Incidents recorded since ${moment(recordedFromMs, true)}, degraded networks ${
              degradedFromMs === null ? 'not yet' : `since ${moment(degradedFromMs, true)}`
            }. `}
        Updated {moment(nowMs)}.
      </Muted>
      <DataTable
        label="Figures of each week"
        columns={[weekColumn(history), ...FIGURES]}
        rows={weeks}
        rowProps={({ fromMs }) => ({ key: dayOf(fromMs), 'data-week': dayOf(fromMs) })}
      />
    </Section>
  );
}

const weekColumn = (history: IncidentHistory): Column<Week> => ({
  name: 'Week from (UTC)',
  kind: 'head',
  cell: (week) => {
    const note = weekNote(week, history);
    return (
      <>
        {dayOf(week.fromMs)} {note && <Badge title={note.title}>{note.label}</Badge>}
      </>
    );
  },
});

const weekFigure = (id: string, name: string, text: (week: Week) => string | undefined): Column<Week> => ({
  name,
  kind: 'figure',
  isWide: ['callbacks-ok', 'p95', 'longest'].includes(id),
  cell: (week) => text(week) ?? '—',
  mark: () => ({ 'data-figure': id }),
});

const FIGURES: readonly Column<Week>[] = [
  weekFigure('requests', 'Requests', ({ requests }) => groupDigits(requests)),
  weekFigure('answered', 'Answered', ({ answered }) => (answered === null ? undefined : shareText(answered))),
  weekFigure('callbacks-ok', 'Callbacks OK', ({ callbacksOk }) =>
    callbacksOk === null ? undefined : shareText(callbacksOk),
  ),
  weekFigure('p95', 'p95', ({ p95Us: us }) => (us === null ? undefined : formatDuration(us / 1000))),
  weekFigure('incidents', 'Opened', ({ incidents, isRecorded }) =>
    incidents === null ? undefined : `${isRecorded ? '' : '≥ '}${groupDigits(incidents)}`,
  ),
  weekFigure('longest', 'Longest', ({ longest }) => (longest === null ? undefined : longestText(longest))),
];
