'use client';
import { clipped } from '@/lib/client/foreign-text';
import { failureWord } from '@/lib/client/health';
import { groupDigits } from '@/lib/client/human-number';
import { formatAge } from '@/lib/client/human-time';
import { useSteadyWords } from '@/lib/client/time-style';
import type { CallsReport, TroubleReport } from '@/lib/contract/codec/service-report';
import classes from './service-panel.module.css';

/** What went wrong since the start, by kind: how often, when last, and how it was put. */
export function ServiceTroubles({ calls, nowMs }: { calls: CallsReport; nowMs: number }) {
  const { failures, heldBack, sent } = calls;
  const total = failures.reduce((sum, { count }) => sum + count, 0);
  const ofCalls = `of ${groupDigits(String(sent))} ${sent === 1 ? 'call' : 'calls'}`;
  if (failures.length === 0 && heldBack.length === 0)
    return <p className={classes.faint}>No trouble {ofCalls}.</p>;
  return (
    <div className={classes.part}>
      <h4 className={classes.partTitle}>
        Trouble: {groupDigits(String(total))} {ofCalls}
      </h4>
      <ul className={classes.list}>
        {failures.map((trouble) => (
          <Trouble key={trouble.kind} trouble={trouble} sent="yes" nowMs={nowMs} />
        ))}
        {heldBack.map((trouble) => (
          <Trouble key={`held ${trouble.kind}`} trouble={trouble} sent={undefined} nowMs={nowMs} />
        ))}
      </ul>
    </div>
  );
}

function Trouble({
  trouble: { kind, count, lastAtMs, lastDetail, lastStatus },
  sent,
  nowMs,
}: {
  trouble: TroubleReport;
  /** Undefined for calls that our own server did not make. */
  sent: 'yes' | undefined;
  nowMs: number;
}) {
  const moment = useSteadyWords();
  const status = lastStatus === undefined ? '' : ` (${lastStatus})`;
  return (
    <li data-trouble={kind}>
      <strong>
        {sent === undefined ? 'Not sent: ' : ''}
        {failureWord(kind)}
        {sent === undefined ? '' : status}
      </strong>{' '}
      <span className="num">
        {groupDigits(String(count))} {count === 1 ? 'time' : 'times'}, last{' '}
        <span title={moment(lastAtMs)}>{formatAge(nowMs - lastAtMs)} ago</span>
      </span>
      : <q className={`${classes.said} foreign`}>{clipped(lastDetail, 300)}</q>
    </li>
  );
}
