import { Group } from '@mantine/core';
import type { CSSProperties } from 'react';
import { Link } from '@/components/ui/link';
import { Muted, MutedInline, Section } from '@/components/ui/text';
import type { Axis, IncidentHistory, PastIncident, Segment, TimeStep } from '@/lib/alerts/history';
import { beganMs, historyRows, incidentSegments, isBackdated } from '@/lib/alerts/history';
import { laneRows } from '@/lib/alerts/lanes';
import { unionMs } from '@/lib/alerts/watched';
import { groupedBy } from '@/lib/core/grouped';
import { countOf } from '@/lib/core/numbers';
import { DAY_MS, formatSpan, HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import type { Severity } from '@/lib/pending/pending-response';
import {
  countsText,
  incidentLengthText,
  incidentRequestsPath,
  type NameOf,
  networkNames,
  openPath,
  spanRowsPath,
  startText,
  titleOf,
} from './incident-words';
import { severityLabel } from './severity';
import classes from './timeline.module.css';

/** The other networks are only counted. */
const MAX_LANES = 8;

type Props = { history: IncidentHistory; nameOf: NameOf };

/** Networks in the order in which the list below names them first: newest first. */
export function IncidentTimeline({ history, nameOf }: Props) {
  const { incidents, nowMs, unrecorded, affectedMs, axis, steps } = history;
  const spanMs = Math.max(1, nowMs - axis.fromMs);
  const shareOf = (ms: number) => Math.max(0, Math.min(1, (ms - axis.fromMs) / spanMs));
  const spansOf = (incidents: readonly PastIncident[]) =>
    incidents.map((incident) => ({ fromMs: beganMs(incident), toMs: incident.closedMs ?? nowMs }));
  const bandShare = shareOf(firstShownMs(steps));
  const listed = historyRows(history).flatMap((row) => ('incident' in row ? row.incident : []));
  const ofNetwork = groupedBy(incidents, ({ networkId }) => networkId);
  const lanes = [...new Set(listed.map(({ networkId }) => networkId))].map((networkId) => {
    const incidents = ofNetwork.get(networkId) ?? [];
    const laneMs = unionMs(spansOf(incidents), { fromMs: axis.fromMs, toMs: nowMs });
    return { networkId, incidents, laneMs };
  });
  return (
    <Section title={`Timeline, ${momentText(axis.fromMs)} UTC to now`} isRegion>
      <div className={classes.timeline}>
        <div className={classes.line}>
          <span>
            <strong>All networks</strong>{' '}
            <MutedInline size="sm">share of {formatSpan(axis.stepMs)}</MutedInline>
          </span>
          <div className={classes.scaled}>
            <StepBars steps={steps} axis={axis} nowMs={nowMs} nameOf={nameOf} />
            {bandShare < MIN_NAMED_SHARE ? null : (
              <small style={{ '--length': bandShare } as CSSProperties} aria-hidden="true">
                <span>{UNRECORDED.unknown}</span>
              </small>
            )}
          </div>
          <Muted size="sm" className="num">
            {affectedMs === 0 ? '' : `Affected · ${formatSpan(affectedMs)}`}
          </Muted>
        </div>
        {lanes.slice(0, MAX_LANES).map(({ networkId, incidents, laneMs }) => (
          <div key={networkId} className={classes.line} data-lane={networkId}>
            <bdi title={nameOf(networkId)}>{nameOf(networkId)}</bdi>
            <Lane
              name={nameOf(networkId)}
              incidents={incidents}
              unrecorded={unrecorded}
              nowMs={nowMs}
              shareOf={shareOf}
            />
            <Muted size="sm" className="num">
              {incidents.length > 1 || incidents[0] === undefined
                ? `${incidents.length} times`
                : titleOf(incidents[0])}{' '}
              · {formatSpan(laneMs)}
            </Muted>
          </div>
        ))}
        <Ruler axis={axis} nowMs={nowMs} shareOf={shareOf} />
        {lanes.length <= MAX_LANES ? null : (
          <Muted size="sm">{countOf(lanes.length - MAX_LANES, 'more network')}: see the list.</Muted>
        )}
        <Legend history={history} />
      </div>
    </Section>
  );
}

type LaneProps = {
  name: string;
  incidents: readonly PastIncident[];
  unrecorded: IncidentHistory['unrecorded'];
  nowMs: number;
  shareOf: (ms: number) => number;
};

/** Lane of a network. Overlapping incidents are in separate rows; time that is not recorded is grey. */
function Lane({ name, incidents, unrecorded, nowMs, shareOf }: LaneProps) {
  const { rowOf, rows } = laneRows(incidents, nowMs);
  return (
    <div className={classes.lane} style={{ '--rows': rows } as CSSProperties}>
      <Unrecorded part="unknown" spans={unrecorded.nothing} shareOf={shareOf} />
      <Unrecorded part="logged" spans={unrecorded.fromLog} shareOf={shareOf} />
      <Unrecorded part="partial" spans={unrecorded.stuckOnly} shareOf={shareOf} />
      <ol aria-label={`Timeline of ${name}`}>
        {incidents.toReversed().map((incident) => {
          const { key, severity, closedMs } = incident;
          const start = shareOf(beganMs(incident));
          const length = shareOf(closedMs ?? nowMs) - start;
          const segments = incidentSegments(incident, unrecorded, nowMs);
          const words = barWords(incident, segments, nowMs);
          return (
            <li
              key={key}
              data-part={severity}
              style={{ '--start': start, '--length': length, '--row': rowOf(key) } as CSSProperties}
            >
              <Link
                href={(closedMs === null ? openPath(incident) : incidentRequestsPath(incident)) as '/pending'}
                title={words}
                aria-label={words}
              >
                <Segments segments={segments} shareOf={shareOf} />
              </Link>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** `Critical: Whole network, 11-24 08:00, 2 h, the first 40 min from the log, ongoing`. */
function barWords(incident: PastIncident, segments: readonly Segment[], nowMs: number): string {
  const [first] = segments;
  const words = [
    `${severityLabel(incident.severity as Severity)}: ${titleOf(incident)}`,
    startText(incident, momentText),
    incidentLengthText(incident, nowMs),
    first !== undefined &&
      isBackdated(segments) &&
      `the first ${formatSpan(first.toMs - first.fromMs)} from the log`,
    incident.closedMs === null && 'ongoing',
  ];
  return words.filter(Boolean).join(', ');
}

type SegmentsProps = Pick<LaneProps, 'shareOf'> & { segments: readonly Segment[] };

/** Parts of a bar: filled if recorded live, outlined if reconstructed. The title is beside the lane. */
function Segments({ segments, shareOf }: SegmentsProps) {
  const lengths = segments.map(({ fromMs, toMs }) => shareOf(toMs) - shareOf(fromMs));
  const wholeLength = lengths.reduce((sum, length) => sum + length, 0);
  return segments.map(({ fromMs, isLive }, at) => (
    <span
      key={fromMs}
      data-recorded={isLive ? 'live' : 'afterwards'}
      style={{ flexGrow: (lengths[at] ?? 0) / wholeLength }}
    />
  ));
}

/** The band may lie behind a bar, so its label says nothing about stuck requests. */
const UNRECORDED = {
  unknown: 'Not recorded',
  logged: 'From the log',
  partial: 'Degraded networks not recorded',
};

type UnrecordedProps = Pick<LaneProps, 'shareOf'> & {
  part: keyof typeof UNRECORDED;
  spans: IncidentHistory['unrecorded']['nothing'];
};

/** Bands of times that were not recorded. The steps above describe them to screen readers. */
function Unrecorded({ part, spans, shareOf }: UnrecordedProps) {
  return spans.map(({ fromMs, toMs }) => (
    <i
      key={fromMs}
      data-part={part}
      title={UNRECORDED[part]}
      aria-hidden="true"
      style={{ '--start': shareOf(fromMs), '--length': shareOf(toMs) - shareOf(fromMs) } as CSSProperties}
    />
  ));
}

type StepsProps = { steps: readonly TimeStep[]; axis: Axis; nowMs: number; nameOf: NameOf };

/**
 * Bars of time, from the bottom: with an incident, without any, partly recorded, from the log, not recorded.
 */
function StepBars({ steps, axis: { stepMs }, nowMs, nameOf }: StepsProps) {
  // The running step is as wide as the part of it that has passed.
  const runningShare = Math.max(0, nowMs - (steps.at(-1)?.fromMs ?? nowMs)) / stepMs;
  const widths = `repeat(${Math.max(1, steps.length - 1)}, minmax(0, 1fr)) minmax(0, ${runningShare}fr)`;
  return (
    <ol
      className={classes.bars}
      style={{ gridTemplateColumns: steps.length > 1 ? widths : undefined }}
      aria-label="Time steps, oldest first"
    >
      {steps.map((step) => {
        const { fromMs, affectedMs, reconstructedMs, calmMs, partialMs, loggedMs, unknownMs } = step;
        const { severity, networkIds } = step;
        const toMs = Math.min(nowMs, fromMs + stepMs);
        const spanMs = Math.max(1, toMs - fromMs);
        const share = (ms: number) => ({ height: `${(ms / spanMs) * 100}%` });
        const words = stepWords(step, toMs, nameOf);
        const parts = { affected: networkIds.length, calm: calmMs, partial: partialMs, logged: loggedMs };
        const [state = 'unknown'] = Object.entries(parts).find(([, size]) => size > 0) ?? [];
        return (
          <li key={fromMs} title={words} data-step={state}>
            {affectedMs > reconstructedMs ? (
              <i data-part={severity} style={share(affectedMs - reconstructedMs)} />
            ) : null}
            {reconstructedMs > 0 ? (
              <i data-part={severity} data-recorded="afterwards" style={share(reconstructedMs)} />
            ) : null}
            {calmMs > 0 ? <i data-part="calm" style={share(calmMs)} /> : null}
            {partialMs > 0 ? <i data-part="partial" style={share(partialMs)} /> : null}
            {loggedMs > 0 ? <i data-part="logged" style={share(loggedMs)} /> : null}
            {unknownMs > 0 ? <i data-part="unknown" style={share(unknownMs)} /> : null}
            {networkIds.length === 0 ? (
              <span className="sr-only">{words}</span>
            ) : (
              <Link href={spanRowsPath({ fromMs, toMs: fromMs + stepMs }, networkIds)} aria-label={words} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** `11-24 08:00–12:00: affected for 2 h, 2 incidents, Base and Blast; not recorded for 1 h`. */
function stepWords(step: TimeStep, toMs: number, nameOf: NameOf): string {
  const { fromMs, affectedMs, reconstructedMs, calmMs, partialMs, loggedMs, unknownMs } = step;
  const { counts, networkIds } = step;
  const isAffected = networkIds.length > 0;
  const others: [string, number][] = [
    ['nothing stuck or degraded', isAffected ? 0 : calmMs],
    ['nothing stuck, degraded networks not recorded', partialMs],
    ['nothing stuck together by the log, degraded networks not recorded', loggedMs],
    ['not recorded', unknownMs],
  ];
  const present = others.filter(([, ms]) => ms > 0);
  const isWhole = present.length === 1 && !isAffected;
  const texts = [
    isAffected &&
      `affected for ${formatSpan(affectedMs)}${reconstructedMs > 0 ? `, ${formatSpan(reconstructedMs)} of it from the log` : ''}, ${countsText(counts)}, ${networkNames(networkIds, nameOf)}`,
    ...present.map(([text, ms]) => (isWhole ? text : `${text} for ${formatSpan(ms)}`)),
  ].filter(Boolean);
  return `${momentText(fromMs)}–${momentText(toMs).slice(-5)}: ${texts.join('; ')}`;
}

/** `11-24 08:00`, UTC. */
const momentText = (ms: number) => new Date(ms).toISOString().slice(5, 16).replace('T', ' ');

const LEGEND = [
  { state: 'calm', label: 'Nothing stuck or degraded' },
  { state: 'notice', label: 'Notice' },
  { state: 'warning', label: 'Warning' },
  { state: 'critical', label: 'Critical' },
  { state: 'afterwards', label: 'Reconstructed from the log' },
  { state: 'logged', label: 'Nothing stuck together, by the log' },
  { state: 'partial', label: 'Nothing stuck, degraded not recorded' },
  { state: 'unknown', label: 'Not recorded' },
] as const;

/** Share of the axis from which on a band has room for its name. */
const MIN_NAMED_SHARE = 0.3;

/** Start of the first step with something to see. */
function firstShownMs(steps: readonly TimeStep[]): number {
  const shown = steps.find(
    ({ networkIds, calmMs, partialMs, loggedMs }) =>
      networkIds.length > 0 || calmMs + partialMs + loggedMs > 0,
  );
  return shown?.fromMs ?? Number.POSITIVE_INFINITY;
}

/** Shorter parts of the axis are not visible. */
const MIN_VISIBLE_SHARE = 0.004;

function Legend({ history: { unrecorded, recordedFromMs, axis, steps } }: Pick<Props, 'history'>) {
  const minMs = MIN_VISIBLE_SHARE * axis.stepMs * axis.count;
  const sumOf = (part: 'partialMs' | 'loggedMs' | 'unknownMs') =>
    steps.reduce((sum, step) => sum + step[part], 0);
  const [first] = unrecorded.nothing;
  // If the record began earlier, the dashboard was off at the left edge.
  const isOfBegin =
    recordedFromMs !== null &&
    unrecorded.nothing.length === 1 &&
    first !== undefined &&
    first.fromMs <= axis.fromMs &&
    recordedFromMs >= first.toMs - axis.stepMs;
  const worst = ['critical', 'warning', 'notice'].find((name) =>
    steps.some(({ severity, networkIds }) => networkIds.length > 0 && severity === name),
  );
  const present = new Set([
    ...steps.flatMap(({ severity, networkIds, calmMs }) => [
      networkIds.length > 0 && severity,
      calmMs > 0 && 'calm',
    ]),
    steps.some(({ reconstructedMs }) => reconstructedMs > 0) && 'afterwards',
    sumOf('loggedMs') > minMs && 'logged',
    sumOf('partialMs') > minMs && 'partial',
    sumOf('unknownMs') > minMs && 'unknown',
  ]);
  return (
    <Group component="ul" gap="4px var(--ks-gap-md)" className={classes.legend} aria-label="Legend">
      {LEGEND.filter(({ state }) => present.has(state)).map(({ label, state }) => (
        <MutedInline component="li" key={label} size="sm">
          <i data-part={state === 'afterwards' ? worst : state} data-recorded={state} aria-hidden="true" />{' '}
          {state === 'unknown' && isOfBegin ? `Not recorded before ${momentText(first.toMs)} UTC` : label}
        </MutedInline>
      ))}
    </Group>
  );
}

const MAX_TICKS = 8;
const TICKS_MS = [
  ...[5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 7, 14].map((days) => days * DAY_MS),
];
/** Share of the axis before the present, kept free for its label. */
const END_SHARE = 0.07;

type RulerProps = { axis: Axis; nowMs: number; shareOf: (ms: number) => number };

function Ruler({ axis, nowMs, shareOf }: RulerProps) {
  const spanMs = nowMs - axis.fromMs;
  const tickMs = TICKS_MS.find((ms) => spanMs / ms <= MAX_TICKS) ?? 14 * DAY_MS;
  const first = Math.ceil(axis.fromMs / tickMs) * tickMs;
  const count = Math.max(0, Math.floor((nowMs - spanMs * END_SHARE - first) / tickMs) + 1);
  const text = (ms: number) => (tickMs < DAY_MS ? momentText(ms).slice(-5) : momentText(ms).slice(0, 5));
  return (
    <div className={`${classes.line} ${classes.ruler}`} aria-hidden="true">
      <span />
      <div className={classes.hours}>
        {Array.from({ length: count }, (_, at) => first + at * tickMs).map((ms) => (
          <span key={ms} style={{ '--start': shareOf(ms) } as CSSProperties}>
            {text(ms)}
          </span>
        ))}
        <strong style={{ '--start': shareOf(nowMs) } as CSSProperties}>Now</strong>
      </div>
      <span />
    </div>
  );
}
