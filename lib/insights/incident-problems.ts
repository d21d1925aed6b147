import { groupedBy } from '@/lib/core/grouped';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { type Incident, incidentPath, type Severity } from '@/lib/pending/pending-response';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { groupTitle, RULE_TITLES } from '@/lib/pending/rules/rule-texts';
import { SHARE_PENDING } from '@/lib/pending/rules/verdict';
import { MAX_UNREAD_MS } from '@/lib/requests/keeper-status';
import { anomalyText } from './anomaly';
import { LEVELS } from './baseline';
import { newProblem, type Problem, type ProblemInput } from './problem';

/** If false, the incident may be left over from an ended outage of its network. */
export const isOfNetwork = ({ subject, verdicts: [lead] }: Pick<Incident, 'subject' | 'verdicts'>) =>
  ['network', 'silence'].includes(subject.kind) && lead?.ended !== true;

/** Networks of a keeper that stopped together count as one outage. */
const MIN_NETWORKS = 3;
/**
 * Longest time between the stops of an outage. A quiet network whose last request is hours older is reported
 * separately.
 */
const TOGETHER_MS = 10 * 60_000;

export type WideOutage = { keeper: string; networks: string[]; incidents: Incident[]; problem: Problem };

/** Outages of several networks of a keeper: no request finishes there, or none arrives. */
export function wideOutages({
  incidents,
  networks = [],
  keepers,
  acknowledgedNetworks,
}: ProblemInput): WideOutage[] {
  return keepers.flatMap((keeper): WideOutage[] => {
    const keeperIncidents = incidents.filter(
      (incident) => incident.keeper === keeper && isOfNetwork(incident),
    );
    const served = networks.filter((network) => network.keeper === keeper);
    const unacknowledged = served.filter(
      ({ networkId }) => !acknowledgedNetworks.has(`${keeper}/${networkId}`),
    );
    const silent = unacknowledged.flatMap(({ networkId, unusual }) =>
      unusual.flatMap(({ kind, sinceUs }) =>
        kind === 'silent' && sinceUs !== null ? [{ networkId, sinceMs: Math.floor(sinceUs / 1000) }] : [],
      ),
    );
    const stops = new Map<string, number>();
    for (const { networkId, sinceMs } of [...keeperIncidents, ...silent]) {
      stops.set(networkId, Math.min(sinceMs, stops.get(networkId) ?? sinceMs));
    }
    const together = stoppedTogether([...stops].map(([networkId, sinceMs]) => ({ networkId, sinceMs })));
    if (together.length < MIN_NETWORKS) return [];
    const stopped = together.map(({ networkId }) => networkId);
    const affected = keeperIncidents.filter(({ networkId }) => stopped.includes(networkId));
    const size = affected.reduce((sum, incident) => sum + incident.size, 0);
    const stuck = affected.filter((incident) => incident.size > 0);
    const doSomeComplete = stuck.some(completesSome);
    const effect = size === 0 ? 'no requests' : doSomeComplete ? 'most requests stuck' : 'nothing completes';
    // Silence of all began after the latest last request. Where requests are stuck, the oldest of them tells.
    const sinceMs =
      size === 0
        ? Math.max(...together.map((stop) => stop.sinceMs))
        : Math.min(...stuck.map((incident) => incident.sinceMs));
    const isDown = served.length > 0 && stops.size >= served.length && !keeperIncidents.some(completesSome);
    const isAll = served.length > 0 && stopped.length >= served.length;
    const ofAll = served.length === 0 ? '' : ` of ${served.length}`;
    const networksText = isAll ? `all ${stopped.length}` : `${stopped.length}${ofAll}`;
    const outage = newProblem({
      id: `wide/${keeper}`,
      kind: 'incident',
      level: 'bad',
      href: '/pending',
      networks: stopped,
      about: `Keeper ${clipped(keeper, 40)}`,
      text: `${effect} on ${networksText} networks${size === 0 ? '' : `, ${groupDigits(size)} stuck`}`,
      sinceMs,
      detail: isDown ? 'The keeper may be down' : '',
    });
    return [{ keeper, networks: stopped, incidents: affected, problem: outage }];
  });
}

const completesSome = ({ size, verdicts }: Incident): boolean =>
  size > 0 && (pendingPercent(verdicts[0]) ?? 100) < 100;

function pendingPercent(lead: Incident['verdicts'][number] | undefined): number | undefined {
  const share = lead?.figures.find(({ unit, label }) => unit === 'percent' && label === SHARE_PENDING)?.value;
  return share === undefined ? undefined : Number(share);
}

type Stop = { networkId: string; sinceMs: number };

/** The largest set of networks that stopped together, in order of time; of several the latest. */
function stoppedTogether(stops: readonly Stop[]): Stop[] {
  const sorted = stops.toSorted((a, b) => a.sinceMs - b.sinceMs);
  let largest: Stop[] = [];
  for (const { sinceMs } of sorted) {
    const together = sorted.filter(
      (stop) => stop.sinceMs >= sinceMs && stop.sinceMs <= sinceMs + TOGETHER_MS,
    );
    if (together.length >= largest.length) largest = together;
  }
  return largest;
}

const worstOf = (...levels: Problem['level'][]): Problem['level'] =>
  LEVELS.find((level) => levels.includes(level)) ?? 'notice';

const LEVEL_OF: Record<Severity, Problem['level']> = {
  none: 'notice',
  notice: 'notice',
  warning: 'warning',
  critical: 'bad',
};

/** Empty if no other keeper serves the network. */
export function keeperWords(
  keeper: string,
  networkId: string,
  { networks = [] }: { networks?: readonly { keeper: string; networkId: string }[] | undefined },
): string {
  const isShared = networks.some((network) => network.networkId === networkId && network.keeper !== keeper);
  return isShared ? `, keeper ${clipped(keeper, 40)}` : '';
}

export function incidentProblem(incident: Incident, input: ProblemInput): Problem {
  const { isWhole, networks } = input;
  const { keeper, networkId, subject, rule, verdicts, sinceMs, size, senders, chain } = incident;
  const isEstimate = verdicts[0]?.basis === 'estimate' && chain?.cause === undefined;
  // The silence of a network is one problem, at the worst of its known levels.
  const figures = networks?.find((network) => network.keeper === keeper && network.networkId === networkId);
  const silence = isOfNetwork(incident) ? figures?.unusual.find(({ kind }) => kind === 'silent') : undefined;
  const level = worstOf(LEVEL_OF[incident.severity], silence?.level ?? 'notice');
  const atLeast = isWhole ? '' : 'at least ';
  const whom =
    subject.kind === 'sender'
      ? `sender ${shortenHex(clipped(subject.sender, 60))}`
      : countOf(senders, 'sender');
  const senderText = senders === 0 ? '' : `, ${whom}`;
  const sizeText = size === 0 ? 'no requests' : `${atLeast}${groupDigits(size)} stuck${senderText}`;
  return newProblem({
    id: `incident/${incident.id}`,
    kind: 'incident',
    level,
    networks: [networkId],
    text: `${sizeText}${keeperWords(keeper, networkId, input)}`,
    sinceMs,
    detail:
      size === 0 && silence !== undefined
        ? anomalyText(silence).detail
        : `${chain?.cause?.title ?? RULE_TITLES[rule]}${isEstimate ? ' (estimate)' : ''}`,
    href: incidentPath(incident.id),
  });
}

export const SINGLES = 'singles';

export function singlesProblem({ singles, isWhole }: ProblemInput): Problem[] {
  if (singles.length === 0) return [];
  return [
    newProblem({
      id: SINGLES,
      kind: 'incident',
      level: worstOf(...singles.map(({ severity }) => LEVEL_OF[severity])),
      text: 'stuck',
      href: '/pending',
      networks: [...new Set(singles.map(({ networkId }) => networkId))],
      about: `${isWhole ? '' : 'At least '}${countOf(singles.length, 'single request')}`,
      sinceMs: singles.reduce(
        (earliest, { sinceMs }) => Math.min(earliest, sinceMs),
        Number.POSITIVE_INFINITY,
      ),
      ...(singles.length > 1 ? { isOfOldest: true } : {}),
      detail: causesOf(singles),
    }),
  ];
}

/** The other causes are counted. */
const MAX_CAUSES = 3;

/** `2 × answered on chain, not logged; later ones completed`. Causes are the chain's if it was queried. */
function causesOf(singles: ProblemInput['singles']): string {
  const causes = [...groupedBy(singles, causeOf)].sort(([, a], [, b]) => b.length - a.length);
  const named = causes.slice(0, MAX_CAUSES).map(([title, { length }], index) => {
    const words = index === 0 && (causes.length === 1 || length === 1) ? title : lowerFirst(title);
    return causes.length === 1 || length === 1 ? words : `${groupDigits(length)} × ${words}`;
  });
  const left = causes.slice(MAX_CAUSES).reduce((sum, [, { length }]) => sum + length, 0);
  return clipped([...named, ...(left === 0 ? [] : [`and ${groupDigits(left)} more`])].join('; '), 200);
}

function causeOf(single: ProblemInput['singles'][number]): string {
  if (single.chain?.cause !== undefined) return single.chain.cause.title;
  return single.rule === RULE.retryBudgetEnding || single.rule === RULE.pastRetryBudget
    ? 'No known cause'
    : groupTitle(single);
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** An unknown number of stuck requests must not look like calm. */
export function unknownProblem(input: ProblemInput, keepers: readonly Problem[]): Problem[] {
  const { status, index, triageFailure, nowMs, examinedWhileSyncingMs, pendingUnreadSinceMs } = input;
  const isReported = keepers.some(({ id }) => !id.startsWith('lost/'));
  if (triageFailure !== undefined || status.kind !== 'not-known' || isReported) return [];
  const shared = { id: 'stuck-unknown', about: 'Pending requests', text: 'stuck: unknown', href: '/pending' };
  const problem = (detail: string) => [
    newProblem({ ...shared, kind: 'incident', level: 'warning', detail: clipped(detail, 200) }),
  ];
  const unread = index.filter(({ syncedAtMs, pendingAtMs }) => syncedAtMs !== null && pendingAtMs === null);
  const isLongUnread = pendingUnreadSinceMs !== undefined && nowMs - pendingUnreadSinceMs >= MAX_UNREAD_MS;
  if (isLongUnread && unread.length > 0) return problem(`Not listed by ${keeperNames(unread)} yet`);
  // The keepers were read since then, so only our own lateness is a problem.
  const isLate = examinedWhileSyncingMs !== undefined;
  if (isLate && nowMs - examinedWhileSyncingMs < MAX_UNREAD_MS) return [];
  const isSyncing = index.some(({ syncedAtMs, pendingAtMs }) => syncedAtMs === null || pendingAtMs === null);
  if (isSyncing) return [];
  return problem(isLate ? 'Dashboard is busy' : status.why);
}

const keeperNames = (index: ProblemInput['index']) =>
  `keeper${index.length === 1 ? '' : 's'} ${index.map(({ keeper }) => clipped(keeper, 40)).join(', ')}`;
