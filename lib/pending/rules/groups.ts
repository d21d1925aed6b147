import {
  DAY_MS,
  type Evidence,
  isFinished,
  isPending,
  isSameHex,
  isSameLane,
  keysOf,
  type LoggedRow,
  used,
} from './evidence';
import { aboutPending, type Case, isPastNormal, percentFloor, type Rule } from './rule';
import {
  cannotTell,
  countText,
  doesNotHold,
  type Figure,
  figure,
  holds,
  spanText,
  type Verdict,
} from './verdict';

/** The rules about many requests at once: R6, R7, R9, R13, R15; and what grouping asks of them. */

/** A pending request that is past normal, as far as R6 looks at it. */
export type PastNormal = { ms: number; sender: string | undefined };

/** R6: at least so many pending, of so many senders, and so many percent of the rows since the oldest. */
export const NETWORK_WIDE = { pending: 5, senders: 3, percent: 80 } as const;

export type NetworkWide = {
  /** Index of the pending request with which it begins. */
  start: number;
  pending: number;
  senders: number;
  /** All rows since then: these pending ones and the others. */
  rows: number;
};

/**
 * Finds the longest stretch up to the newest pending request in which a network is stuck by `NETWORK_WIDE`. It begins
 * with the oldest pending request for which the figures hold, so that one straggler from before does not hide it.
 * @param past rising by time; pending requests within normal are left out, for the newest rows of a busy network are
 * always pending
 * @param others unix ms of the rows that are not pending, rising
 * @param unseenOthers rows that nobody has seen, taken for ones that finished after the first
 */
export function networkWide(
  past: readonly PastNormal[],
  others: readonly number[],
  unseenOthers = 0,
): NetworkWide | undefined {
  const senders = new Set<string>();
  let found: NetworkWide | undefined;
  let next = others.length;
  for (let start = past.length - 1; start >= 0; start--) {
    const { ms, sender } = past[start] as PastNormal;
    if (sender !== undefined) senders.add(sender);
    while (next > 0 && (others[next - 1] ?? 0) >= ms) next -= 1;
    const pending = past.length - start;
    const rows = pending + others.length - next + unseenOthers;
    const isWide =
      pending >= NETWORK_WIDE.pending &&
      senders.size >= NETWORK_WIDE.senders &&
      pending * 100 >= rows * NETWORK_WIDE.percent;
    if (isWide) found = { start, pending, senders: senders.size, rows };
  }
  return found;
}

export const NETWORK_WIDE_HEADLINE =
  'Most requests since the oldest are pending; check RPC, funds and keeper';

export function networkWideFigures(found: Omit<NetworkWide, 'start'>, sinceMs: number): Figure[] {
  return [
    figure('Pending past normal', found.pending, 'rows'),
    figure('Senders', found.senders, 'senders'),
    figure('Requests since the oldest', found.rows, 'rows'),
    figure('Share pending', percentFloor(found.pending, found.rows), 'percent'),
    figure('Since', sinceMs, 'moment'),
  ];
}

/** The rows of E2 in order of creation, those pending within normal left out: they say nothing either way. */
function readWindow(rows: readonly LoggedRow[], given: Case): { past: LoggedRow[]; others: LoggedRow[] } {
  const own = rows
    .filter(({ networkId }) => networkId === given.request.networkId)
    .toSorted((one, other) => one.createdAt.ms - other.createdAt.ms);
  return {
    past: own.filter((row) => isPastNormal(row, given)),
    others: own.filter((row) => !isPending(row)),
  };
}

const timeOf = ({ createdAt }: LoggedRow) => createdAt.ms;

/**
 * R6. E2: 5 pending or more, of 3 senders or more, and 80 % or more of the rows since the oldest. Pending within normal
 * is left out. Unseen rows of the window are reckoned with both ways, and decide nothing by themselves.
 */
export const networkRule = aboutPending('R6', (given) => {
  const { request } = given;
  const { window } = given.evidence;
  if (window.kind === 'missing') return cannotTell('R6', `Requests around it: ${window.why}`);
  const { unseen } = window.value;
  const { past, others } = readWindow(window.value.rows, given);
  const senders = past.map((row) => ({ ms: timeOf(row), sender: row.sender?.toLowerCase() }));
  const found = networkWide(senders, others.map(timeOf), unseen);
  const evidence = used(['E2', window]);
  const since = found && past[found.start];
  if (found !== undefined && since !== undefined && timeOf(since) <= timeOf(request)) {
    return holds('R6', 'critical', NETWORK_WIDE_HEADLINE, {
      figures: networkWideFigures(found, timeOf(since)),
      proof: keysOf(past.slice(found.start)),
      evidence,
      covers: found.pending,
    });
  }
  const [oldest] = past;
  const rows = oldest ? past.length + others.filter((row) => timeOf(row) >= timeOf(oldest)).length : 0;
  const figures = [
    figure('Pending past normal', past.length, 'rows'),
    figure('Senders', new Set(senders.flatMap(({ sender }) => sender ?? [])).size, 'senders'),
    figure('Requests since the oldest', rows, 'rows'),
  ];
  if (unseen > 0 && past.length + unseen >= NETWORK_WIDE.pending) {
    return cannotTell('R6', `${countText(unseen, 'row')} of this stretch not seen`, { figures, evidence });
  }
  return doesNotHold('R6', 'Not most of the network’s requests', { figures, evidence });
});

/** R7: so many others finished, so many of this sender pending, which are so many percent of its own. */
export const ONE_SENDER = { othersFinished: 10, pending: 3, percent: 80 } as const;

export type SenderFigures = { pending: number; own: number; othersFinished: number };

export function isOneSender({ pending, own, othersFinished }: SenderFigures): boolean {
  return (
    othersFinished >= ONE_SENDER.othersFinished &&
    pending >= ONE_SENDER.pending &&
    pending * 100 >= own * ONE_SENDER.percent
  );
}

/** @param found figures since the oldest of its pending requests past normal */
export function senderVerdict(found: SenderFigures, details: Partial<Verdict>): Verdict {
  const headline = 'Most of its requests are pending while those of others finish';
  return holds('R7', 'warning', headline, {
    covers: found.pending,
    ...details,
    figures: [...senderFigures(found), ...(details.figures ?? [])],
  });
}

function senderFigures(found: SenderFigures): Figure[] {
  return [
    figure('Pending of this sender', found.pending, 'rows'),
    figure('All of this sender since then', found.own, 'rows'),
    figure('Share pending', percentFloor(found.pending, found.own), 'percent'),
    figure('Finished of others since then', found.othersFinished, 'rows'),
  ];
}

/** What E3 adds: when the keeper last finished something of this sender, on this network. */
function lastFinished({ request, evidence: { sender } }: Case): Figure[] {
  const rows = sender.kind === 'known' ? sender.value.rows : [];
  const own = rows.filter((row) => isFinished(row) && row.networkId === request.networkId).map(timeOf);
  return own.length === 0 ? [] : [figure('Last finished of this sender', Math.max(...own), 'moment')];
}

/**
 * R7. E2, since the sender's oldest pending request: 10 others or more finished, this sender has 3 pending or more,
 * 80 % or more of its own. Pending within normal is left out.
 */
export const senderRule = aboutPending('R7', (given) => {
  const { request, evidence: pieces } = given;
  const { window } = pieces;
  if (request.sender === undefined) return cannotTell('R7', 'The row names no sender');
  if (window.kind === 'missing') return cannotTell('R7', `Requests around it: ${window.why}`);
  const { past, others } = readWindow(window.value.rows, given);
  const isOwn = (row: LoggedRow) => isSameHex(row.sender, request.sender);
  const pending = past.filter(isOwn);
  const sinceMs = pending[0]?.createdAt.ms ?? Number.POSITIVE_INFINITY;
  const since = others.filter((row) => timeOf(row) >= sinceMs);
  const found: SenderFigures = {
    pending: pending.length,
    own: pending.length + since.filter(isOwn).length,
    othersFinished: since.filter((row) => isFinished(row) && !isOwn(row)).length,
  };
  const evidence = used(['E2', window], ['E3', pieces.sender]);
  const figures = lastFinished(given);
  // At worst the unseen rows are finished ones of this sender; at best they all speak for the rule.
  const { unseen } = window.value;
  const { own, othersFinished } = found;
  if (isOneSender({ ...found, own: own + unseen })) {
    return senderVerdict(found, { figures, proof: keysOf(pending), evidence });
  }
  const all = { figures: [...senderFigures(found), ...figures], evidence };
  const atBest = {
    pending: found.pending + unseen,
    own: own + unseen,
    othersFinished: othersFinished + unseen,
  };
  return isOneSender(atBest)
    ? cannotTell('R7', `${countText(unseen, 'row')} of this stretch not seen`, all)
    : doesNotHold('R7', 'Not this sender alone, or not most of its requests', all);
});

/** R9: silent for longer than the larger of these, judged only when the network has a rhythm. */
const SILENCE = { leastMs: 10 * 60_000, gaps: 7, rowsOfDay: 50 } as const;

/** Mean time between rows of the last 24 hours; undefined when there were none. */
export function usualGapMs(rowsOfDay: number): number | undefined {
  return rowsOfDay > 0 ? DAY_MS / rowsOfDay : undefined;
}

/**
 * R9. E6 silent longer than the larger of 10 min and seven times the mean gap of the last 24 h (50 rows or more). The
 * silence lasts until the newest row was asked for, not until now: what came after that, nobody has looked at.
 */
export function silenceVerdict({ newest, lastDay }: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  if (newest.kind === 'missing') return cannotTell('R9', `Newest request of the network: ${newest.why}`);
  if (lastDay.kind === 'missing') return cannotTell('R9', `Requests of the last 24 hours: ${lastDay.why}`);
  const evidence = used(['E6', newest], ['E6', lastDay]);
  const row = newest.value;
  if (row === null) return cannotTell('R9', 'the network has no rows at all', { evidence });
  const gapMs = usualGapMs(lastDay.value);
  const silentMs = Math.max(0, newest.atMs - timeOf(row));
  const figures: Figure[] = [
    figure('Last request', timeOf(row), 'moment'),
    figure('Silent for', silentMs, 'ms'),
    figure('Requests in 24 h', lastDay.value, 'rows'),
    ...(gapMs === undefined ? [] : [figure('Typical interval', gapMs, 'ms')]),
  ];
  if (gapMs === undefined || lastDay.value < SILENCE.rowsOfDay) {
    const why = `only ${lastDay.value} requests in the last 24 hours; ${SILENCE.rowsOfDay} are needed`;
    return cannotTell('R9', why, { figures, evidence });
  }
  const limitMs = Math.max(SILENCE.leastMs, SILENCE.gaps * gapMs);
  const found = { figures: [...figures, figure('Quiet after', limitMs, 'ms')], evidence };
  if (silentMs <= limitMs) return doesNotHold('R9', 'Not silent for longer than usual', found);
  const said = `Nothing logged for ${spanText(silentMs)}, typically every ${spanText(gapMs)}`;
  const headline = `${said}: no demand, or capture has stopped`;
  return holds('R9', 'warning', headline, { proof: [row.key], ...found });
}

export const silenceRule: Rule = ({ evidence }) => silenceVerdict(evidence);

/** R13: so many pending sequences, of which so many percent leave the same rest. */
export const ONE_REPLICA = { pending: 8, percent: 90 } as const;

export type ReplicaPattern = { modulus: number; remainder: number; sharing: number; pending: number };

/**
 * The rest that most of the sequences leave by 4, 3 or 2 (those that agree by 4 agree by 2 as well), if enough of them
 * do. A sequence counts once: its twins say nothing more about who should have taken it.
 * @param unseen sequences nobody has seen, taken for ones that leave another rest
 */
export function replicaPattern(sequences: readonly bigint[], unseen = 0): ReplicaPattern | undefined {
  const distinct = new Set(sequences);
  const pending = distinct.size;
  if (pending < ONE_REPLICA.pending) return undefined;
  for (const modulus of [4, 3, 2]) {
    const counts = new Array<number>(modulus).fill(0);
    for (const sequence of distinct) {
      const rest = remainderOf(sequence, modulus);
      counts[rest] = (counts[rest] ?? 0) + 1;
    }
    const sharing = Math.max(...counts);
    if (sharing * 100 >= (pending + unseen) * ONE_REPLICA.percent) {
      return { modulus, remainder: counts.indexOf(sharing), sharing, pending };
    }
  }
  return undefined;
}

function remainderOf(sequence: bigint, modulus: number): number {
  const rest = Number(sequence % BigInt(modulus));
  return rest < 0 ? rest + modulus : rest;
}

export function isSharing(sequence: bigint, { modulus, remainder }: ReplicaPattern): boolean {
  return remainderOf(sequence, modulus) === remainder;
}

export function replicaVerdict(pattern: ReplicaPattern, details: Partial<Verdict>): Verdict {
  const { modulus, sharing, pending } = pattern;
  const which = sharing === pending ? `All ${pending}` : `${sharing} of ${pending}`;
  const headline = `${which} stuck sequences are the same modulo ${modulus}`;
  return holds('R13', 'notice', headline, { figures: replicaFigures(pattern), covers: sharing, ...details });
}

function replicaFigures({ modulus, remainder, sharing, pending }: ReplicaPattern): Figure[] {
  return [
    figure('Stuck sequences', pending, 'rows'),
    figure('Sharing the remainder', sharing, 'rows'),
    figure('Share', percentFloor(sharing, pending), 'percent'),
    figure('Sequence modulo', `${modulus} is ${remainder}`, 'text'),
  ];
}

/**
 * R13. 90 % or more of 8 pending or more, of one network and provider (E1), share sequence mod 2, 3 or 4, and this
 * request does. Pending within normal is left out.
 */
export const replicaRule = aboutPending('R13', (given) => {
  const { request } = given;
  const { pending } = given.evidence;
  if (pending.kind === 'missing') return cannotTell('R13', `All pending requests: ${pending.why}`);
  if (request.provider === undefined) return cannotTell('R13', 'The row names no provider');
  const { rows, unseen } = pending.value;
  const lane = rows.filter(
    (row) => row.keeper === request.keeper && isSameLane(request, row) && isPastNormal(row, given),
  );
  const evidence = used(['E1', pending]);
  const sequences = lane.map(({ sequence }) => BigInt(sequence));
  const pattern = replicaPattern(sequences, unseen);
  if (pattern !== undefined) {
    const proof = keysOf(lane.filter(({ sequence }) => isSharing(BigInt(sequence), pattern)));
    if (isSharing(BigInt(request.sequence), pattern)) return replicaVerdict(pattern, { proof, evidence });
    const figures = replicaFigures(pattern);
    return doesNotHold('R13', 'Others share a remainder; this sequence does not', {
      figures,
      proof,
      evidence,
    });
  }
  if (unseen > 0) return cannotTell('R13', `${countText(unseen, 'pending row')} not seen`, { evidence });
  const few = new Set(sequences).size;
  const headline =
    few < ONE_REPLICA.pending
      ? `No pattern can be told: only ${few} pending past normal; ${ONE_REPLICA.pending} are needed`
      : 'The pending sequences share no remainder by 2, 3 or 4';
  return doesNotHold('R13', headline, { evidence });
});

/** R15. E5 has several rows; only those that were requested by the transaction count, not those revealed by it. */
export const batchRule: Rule = ({ request, evidence: { sameTransaction } }) => {
  if (request.requestTxHash === undefined) return cannotTell('R15', 'The row names no transaction');
  if (sameTransaction.kind === 'missing') {
    return cannotTell('R15', `Requests of this transaction: ${sameTransaction.why}`);
  }
  const rows = sameTransaction.value.rows.filter(
    (row) => row.networkId === request.networkId && isSameHex(row.requestTxHash, request.requestTxHash),
  );
  const { unseen } = sameTransaction.value;
  const evidence = used(['E5', sameTransaction]);
  const missing = unseen > 0 ? `${countText(unseen, 'row')} of this transaction not seen` : undefined;
  if (rows.length < 2) {
    return missing === undefined
      ? doesNotHold('R15', 'The only request of its transaction', { evidence })
      : cannotTell('R15', missing, { evidence });
  }
  const [done, waiting] = [rows.filter(isFinished).length, rows.filter(isPending).length];
  return holds('R15', 'notice', `One of a batch: ${done} of ${rows.length} done`, {
    figures: [
      figure('Requests of this transaction', rows.length, 'rows'),
      figure('Done', done, 'rows'),
      figure('Pending', waiting, 'rows'),
    ],
    proof: keysOf(rows),
    evidence,
    covers: waiting,
    ...(missing === undefined ? {} : { missing }),
  });
};
