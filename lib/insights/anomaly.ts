import { groupDigits } from '@/lib/core/numbers';
import { partText, shareText } from '@/lib/core/span-figures';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatUtcSeconds } from '@/lib/core/time';
import type { RequestsView } from '@/lib/requests/view';
import {
  FAILURES_RATIO,
  MIN_FAILURES,
  MIN_MISSED,
  MIN_ROWS,
  MIN_SHARES,
  SLOW_RATIO,
  SLOW_US,
  WEEK_DAYS,
} from './baseline';
import { lengthText } from './format';
import type { Anomaly, NetworkBaseline } from './insights-response';

/** `in the last hour`, `in the hour before 2026-11-30 04:00 UTC`. */
export function hourText({ hourEndUs }: Pick<Anomaly, 'hourEndUs'>): string {
  if (hourEndUs === undefined) return 'in the last hour';
  return `in the hour before ${formatUtcSeconds(Math.floor(hourEndUs / 1000)).slice(0, 16)} UTC`;
}

export function anomalyText(anomaly: Anomaly): { text: string; detail: string } {
  const { kind, value, usual, sender, rows } = anomaly;
  const senderText = sender === null ? '' : `, nearly all of sender ${shortenHex(clipped(sender, 60))}`;
  const failed = (noun: string) => {
    const part = rows === undefined ? `${shareText(value)} of ${noun}` : partText(rows.part, rows.of, noun);
    return [`${part} failed ${hourText(anomaly)}${senderText}`, shareText(usual)] as const;
  };
  const rounded = groupDigits(Math.round(usual));
  const [text, typical] = {
    silent: ['no requests', `${rounded} in this time`] as const,
    failing: failed('finished requests'),
    'callbacks-failing': failed('callbacks'),
    slow: [`p95 ${lengthText(value)} ${hourText(anomaly)}`, lengthText(usual)] as const,
    busy: [`${groupDigits(value)} requests in an hour`, rounded] as const,
  }[kind];
  return { text, detail: `Usually ${typical}` };
}

/** `days` are complete days of data, 0 to 7. */
function basisText(basis: NetworkBaseline['p95Basis'], days: number, kind: Anomaly['kind']): string {
  if (basis === 'none') return '';
  if (basis === 'hour') return `at this hour of the last ${days} days`;
  // A share of failures is not compared with its own day.
  const before = kind === 'slow' ? 'last 7 days' : '7 days before the last 24 h';
  if (days === WEEK_DAYS) return `over the ${before}`;
  return `in less than ${days === 0 ? 'a day' : `${days + 1} days`} before`;
}

/** `p95 42.0 s in the last hour. Usually 8.1 s, at this hour of the last 7 days`. */
export function anomalySentence(
  anomaly: Anomaly,
  { basis, p95Basis, days }: Pick<NetworkBaseline, 'basis' | 'p95Basis' | 'days'>,
): string {
  const { text, detail } = anomalyText(anomaly);
  // The hours of a silence are compared with the same hours of the days before it.
  if (anomaly.kind === 'silent') return `${text}. ${detail}, by the days before`;
  // Load is always compared with the same hour.
  const basisByKind: Partial<Record<Anomaly['kind'], NetworkBaseline['p95Basis']>> = {
    busy: 'hour',
    slow: p95Basis,
  };
  const based = basisText(basisByKind[anomaly.kind] ?? basis, days, anomaly.kind);
  return `${text}. ${detail}${based === '' ? '' : `, ${based}`}`;
}

/** Changes the default view to the rows that show the anomaly. */
export const ROWS_OF: Partial<Record<Anomaly['kind'], Partial<RequestsView>>> = {
  failing: { states: ['failed'] },
  'callbacks-failing': { states: ['callback-failed'] },
  slow: { time: { kind: 'last', range: '1h' }, sort: 'duration.desc' },
};

export const ANOMALY_TITLES: Record<Anomaly['kind'], string> = {
  silent: 'Silent',
  failing: 'Failing',
  'callbacks-failing': 'Callbacks failing',
  slow: 'Slow',
  busy: 'Busy',
};

/** The limit of a problem, without full stop. Undefined for high load, which is not a problem. */
export function anomalyLimit(kind: Anomaly['kind']): string | undefined {
  if (kind === 'busy') return undefined;
  if (kind === 'silent') return `At least ${MIN_MISSED} of the usual requests are missing`;
  if (kind === 'slow') return `p95 above ${lengthText(SLOW_US)} and at least ${SLOW_RATIO} × usual`;
  const rows = kind === 'failing' ? 'requests' : 'callbacks';
  return `At least ${MIN_FAILURES} failures, ${MIN_SHARES[kind] * 100}% of ${rows}, ${FAILURES_RATIO} × usual`;
}

/** Networks below the limits may still have more failures than usual. `networks`: those with enough requests. */
export function withinLimits({ networks, of }: { networks: number; of: number }): string {
  const noneText = networks === 1 ? 'Not the one network' : `None of the ${networks} networks`;
  const networksText = networks === of ? 'No network' : `${noneText} with enough requests`;
  return `${networksText} exceeds the limits of failures, or of latency from ${MIN_ROWS} callbacks on, in the last hour.`;
}

const NEXT_STEPS: Record<Anomaly['kind'], string> = {
  silent: 'Look in the block explorer for requests newer than the last logged one',
  failing: 'Compare the reasons of the failed requests',
  'callbacks-failing': 'Compare the senders and reasons of the failed requests',
  slow: 'Compare the slowest requests of the hour with the network’s block times and fees',
  busy: 'Wait: load alone is no fault',
};

/** The next step for an anomaly, without full stop. */
export function nextStepOf({ kind, sender }: Anomaly): string {
  const isOfContract = kind === 'callbacks-failing' && sender !== null;
  return isOfContract ? 'Send the contract’s owner one of the failed requests' : NEXT_STEPS[kind];
}
