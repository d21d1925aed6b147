import { notPending } from './age-rules';
import { type LoggedRow, unseen, used } from './evidence';
import { senderCount } from './logged-row';
import { NETWORK_WIDE, type NetworkWide, networkWide, percentFloor } from './network-wide';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';
import { readWindow } from './window-reading';

export const NETWORK_WIDE_HEADLINE =
  'The whole network: most requests since the oldest of these are pending; check RPC, funds and keeper';

export function networkWideFigures(found: Omit<NetworkWide, 'start'>, sinceMs: number): Figure[] {
  return [
    { label: 'Pending past normal', value: found.pending, unit: 'rows' },
    { label: 'Senders', value: found.senders, unit: 'senders' },
    { label: 'All rows since the oldest', value: found.rows, unit: 'rows' },
    { label: 'Share pending', value: percentFloor(found.pending, found.rows), unit: 'percent' },
    { label: 'Since', value: sinceMs, unit: 'moment' },
  ];
}

/**
 * R6. E2: 5 pending or more, of 3 senders or more, and 80 % or more of the rows since the oldest. Pending within normal
 * is left out. Unseen rows of the window are reckoned with both ways, and decide nothing by themselves.
 */
export const networkRule: Rule = (request, evidence, settings, nowMs) => {
  const refused = notPending('R6', request);
  if (refused !== undefined) return refused;
  const { window } = evidence;
  if (window.kind === 'missing') return cannotTell('R6', `The rows of the network around it: ${window.why}`);
  const { past, others } = readWindow(window.value.rows, request.networkId, evidence, settings, nowMs);
  const hidden = unseen(window.value);
  const found = networkWide(past.map(toPast), others.map(timeOf), hidden);
  const since = found && past[found.start];
  const used6 = used(['E2', window]);
  if (found !== undefined && since !== undefined && since.createdAt.ms <= request.createdAt.ms) {
    return holds('R6', 'critical', {
      headline: NETWORK_WIDE_HEADLINE,
      figures: networkWideFigures(found, since.createdAt.ms),
      proof: past.slice(found.start).map(({ key }) => key),
      evidence: used6,
      covers: found.pending,
    });
  }
  const rows = past.length + others.filter((row) => timeOf(row) >= (past[0]?.createdAt.ms ?? 0)).length;
  const figures = [
    { label: 'Pending past normal', value: past.length, unit: 'rows' as const },
    { label: 'Senders', value: senderCount(past), unit: 'senders' as const },
    { label: 'All rows since the oldest', value: past.length === 0 ? 0 : rows, unit: 'rows' as const },
  ];
  if (hidden > 0 && past.length + hidden >= NETWORK_WIDE.pending) {
    const why = `${countText(hidden, 'row')} of this stretch not seen`;
    return cannotTell('R6', why, { figures, evidence: used6 });
  }
  return doesNotHold('R6', { headline: 'Not most of the network’s requests', figures, evidence: used6 });
};

function toPast(row: LoggedRow) {
  return { ms: row.createdAt.ms, sender: row.sender?.toLowerCase() };
}

function timeOf(row: LoggedRow): number {
  return row.createdAt.ms;
}
