import { notPending } from './age-rules';
import { type Evidence, type EvidenceUsed, type LoggedRow, unseen, used } from './evidence';
import { isFinished, isSameHex } from './logged-row';
import { percentFloor } from './network-wide';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';
import { readWindow, type WindowReading } from './window-reading';

/** R7: so many others finished, so many of this sender pending, which are so many percent of its own. */
export const ONE_SENDER = { othersFinished: 10, pending: 3, percent: 80 } as const;

export const ONE_SENDER_HEADLINE =
  'This sender’s contract: most of its requests are pending while those of others finish';

export type SenderFigures = { pending: number; own: number; othersFinished: number };

export function isOneSender({ pending, own, othersFinished }: SenderFigures): boolean {
  return (
    othersFinished >= ONE_SENDER.othersFinished &&
    pending >= ONE_SENDER.pending &&
    pending * 100 >= own * ONE_SENDER.percent
  );
}

export function senderFigures(found: SenderFigures): Figure[] {
  return [
    { label: 'Pending of this sender past normal', value: found.pending, unit: 'rows' },
    { label: 'All of this sender since the oldest of them', value: found.own, unit: 'rows' },
    { label: 'Share pending', value: percentFloor(found.pending, found.own), unit: 'percent' },
    { label: 'Finished ones of others since then', value: found.othersFinished, unit: 'rows' },
  ];
}

/** Counts since the sender's oldest pending request that is past normal. */
function countSender(reading: WindowReading, sender: string): SenderFigures & { rows: LoggedRow[] } {
  const rows = reading.past.filter((row) => isSameHex(row.sender, sender));
  const sinceMs = rows[0]?.createdAt.ms ?? Number.POSITIVE_INFINITY;
  const since = reading.others.filter((row) => row.createdAt.ms >= sinceMs);
  const own = since.filter((row) => isSameHex(row.sender, sender)).length;
  const othersFinished = since.filter((row) => isFinished(row) && !isSameHex(row.sender, sender)).length;
  return { rows, pending: rows.length, own: rows.length + own, othersFinished };
}

/** With so many rows unseen: at worst they are finished ones of this sender; at best they all speak for the rule. */
function atWorst(found: SenderFigures, hidden: number): SenderFigures {
  return { ...found, own: found.own + hidden };
}

function atBest({ pending, own, othersFinished }: SenderFigures, hidden: number): SenderFigures {
  return { pending: pending + hidden, own: own + hidden, othersFinished: othersFinished + hidden };
}

/** What E3 adds: when the keeper last finished something of this sender, on this network. */
function lastFinished({ sender }: Evidence, request: LoggedRow): { figures: Figure[]; used: EvidenceUsed[] } {
  if (sender.kind === 'missing') return { figures: [], used: [] };
  const newest = sender.value.rows
    .filter((row) => isFinished(row) && row.networkId === request.networkId)
    .reduce((last, row) => Math.max(last, row.createdAt.ms), Number.NEGATIVE_INFINITY);
  const label = 'Newest finished request of this sender';
  return {
    figures: Number.isFinite(newest) ? [{ label, value: newest, unit: 'moment' }] : [],
    used: used(['E3', sender]),
  };
}

/**
 * R7. E2, since the sender's oldest pending request: 10 others or more finished, this sender has 3 pending or more,
 * 80 % or more of its own. Pending within normal is left out.
 */
export const senderRule: Rule = (request, evidence, settings, nowMs) => {
  const refused = notPending('R7', request);
  if (refused !== undefined) return refused;
  const { window } = evidence;
  if (request.sender === undefined) return cannotTell('R7', 'The row names no sender');
  if (window.kind === 'missing') return cannotTell('R7', `The rows of the network around it: ${window.why}`);
  const reading = readWindow(window.value.rows, request.networkId, evidence, settings, nowMs);
  const { rows, ...found } = countSender(reading, request.sender);
  const hidden = unseen(window.value);
  const more = lastFinished(evidence, request);
  const shared = {
    figures: [...senderFigures(found), ...more.figures],
    evidence: [...used(['E2', window]), ...more.used],
  };
  if (isOneSender(atWorst(found, hidden))) {
    const proof = rows.map(({ key }) => key);
    return holds('R7', 'warning', {
      headline: ONE_SENDER_HEADLINE,
      proof,
      covers: found.pending,
      ...shared,
    });
  }
  if (isOneSender(atBest(found, hidden))) {
    return cannotTell('R7', `${countText(hidden, 'row')} of this stretch not seen`, shared);
  }
  return doesNotHold('R7', { headline: 'Not this sender alone, or not most of its requests', ...shared });
};
