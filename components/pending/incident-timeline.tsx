'use client';
import type { CSSProperties } from 'react';
import { Link } from '@/components/ui/link';
import { Muted, Section } from '@/components/ui/text';
import type { History, PastIncident } from '@/lib/alerts/history';
import { beganMs } from '@/lib/alerts/history';
import { groupedBy } from '@/lib/core/grouped';
import { countOf } from '@/lib/core/numbers';
import { DAY_MS, formatSpan, HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { incidentPath, type Severity } from '@/lib/pending/pending-response';
import classes from './pending.module.css';
import { severityLabel } from './severity';

/** Networks with a line of their own; the others are counted. */
const MAX_LINES = 8;
const MAX_TICKS = 8;
const TICK_STEPS_MS = [5, 15, 30, 60, 120, 180].map((minutes) => minutes * MINUTE_MS);
/** Part of the axis before its end that is left to the label of the present. */
const END_SHARE = 0.07;

type Props = {
  history: History;
  nameOf: (networkId: string) => string;
  titleOf: (incident: PastIncident) => string;
  rowsOf: (incident: PastIncident) => string;
};

/** Incidents of the last day on a time axis, a line for each network; it begins with the recording if that is younger. */
export function IncidentTimeline({ history, nameOf, titleOf, rowsOf }: Props) {
  const { incidents, nowMs, recordedFromMs } = history;
  const dayAgoMs = nowMs - DAY_MS;
  const shown = incidents.filter(({ closedMs }) => (closedMs ?? nowMs) > dayAgoMs);
  const knownFromMs = Math.min(recordedFromMs ?? nowMs, ...shown.map(beganMs), nowMs - HOUR_MS);
  const fromMs = Math.max(dayAgoMs, knownFromMs);
  const lines = [...groupedBy(shown, ({ networkId }) => networkId)];
  const shareOf = (ms: number) => Math.max(0, Math.min(1, (ms - fromMs) / (nowMs - fromMs)));
  return (
    <Section
      title={`Timeline of the last ${formatSpan(nowMs - fromMs)}, UTC`}
      isRegion
      className={classes.lastDay}
    >
      <div className={classes.timeline}>
        {lines.length === 0 ? <Muted>Nothing was stuck in this time.</Muted> : null}
        {lines.slice(0, MAX_LINES).map(([networkId, own]) => (
          <div key={networkId} className={classes.line}>
            <bdi title={nameOf(networkId)}>{nameOf(networkId)}</bdi>
            <ol aria-label={`Incidents on ${nameOf(networkId)}`}>
              {own.toReversed().map((one) => {
                const [start, end] = [shareOf(beganMs(one)), shareOf(one.closedMs ?? nowMs)];
                const open = one.closedMs === null ? ', ongoing' : '';
                const words = `${severityLabel(one.severity as Severity)}: ${titleOf(one)}, ${hourText(beganMs(one))}, ${formatSpan((one.closedMs ?? nowMs) - beganMs(one))}${open}`;
                return (
                  <li
                    key={one.key}
                    data-part={one.severity}
                    style={{ '--start': start, '--length': end - start } as CSSProperties}
                  >
                    <Link
                      href={(open === '' ? rowsOf(one) : incidentPath(one.id)) as '/pending'}
                      title={words}
                      aria-label={words}
                    >
                      {titleOf(one)}
                    </Link>
                  </li>
                );
              })}
            </ol>
          </div>
        ))}
        <div className={`${classes.line} ${classes.ruler}`} aria-hidden="true">
          <span />
          <div className={classes.hours}>
            {ticksOf(fromMs, nowMs).map((ms) => (
              <span key={ms} style={{ '--start': shareOf(ms) } as CSSProperties}>
                {hourText(ms)}
              </span>
            ))}
            <strong>Now</strong>
          </div>
        </div>
        {lines.length <= MAX_LINES ? null : (
          <Muted size="sm">{countOf(lines.length - MAX_LINES, 'more network')}: see the list.</Muted>
        )}
      </div>
    </Section>
  );
}

const hourText = (ms: number) => new Date(ms).toISOString().slice(11, 16);

function ticksOf(fromMs: number, toMs: number): number[] {
  const spanMs = toMs - fromMs;
  const step = TICK_STEPS_MS.find((ms) => spanMs / ms <= MAX_TICKS) ?? spanMs;
  const first = Math.ceil(fromMs / step) * step;
  const count = Math.max(0, Math.floor((toMs - spanMs * END_SHARE - first) / step) + 1);
  return Array.from({ length: count }, (_, at) => first + at * step);
}
