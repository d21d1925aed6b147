import { groupedBy } from '@/lib/core/grouped';
import { type IndexState, isClockSkewed, serviceLabel, serviceState, stateWords } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { DAY_MS, formatAge, MINUTE_MS } from '@/lib/core/time';
import { type ChainState, chainProblemId, chainProblems } from '@/lib/onchain/network-state';
import { type Incident, incidentPath, type Severity } from '@/lib/pending/pending-response';
import { groupTitle, RULE_TITLES, SHARE_PENDING } from '@/lib/pending/rules/verdict';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { anomalyText, nextStepOf, ROWS_OF } from './anomaly';
import { LEVELS } from './baseline';
import { type Problem, type ProblemInput, type ProblemsAnswer, problemOf, type StaleFeed } from './problem';

/** Current problems, a line each: of requests, networks, keepers, services and feeds. */

const KINDS: readonly Problem['kind'][] = ['incident', 'network', 'keeper', 'chain', 'service', 'feeds'];

/** All problems, worst first; within a level the oldest first. */
export function findProblems(input: ProblemInput): Problem[] {
  const wide = wideOutages(input);
  const inOutages = new Set(wide.flatMap(({ incidents }) => incidents));
  const rest = input.incidents.filter((incident) => !inOutages.has(incident));
  const keepers = keeperProblems(input);
  const all = [
    ...storageProblem(input),
    ...mergeKeepers(keepers),
    ...wide.map(({ problem: outage }) => outage),
    ...rest.map((incident) => incidentProblem(incident, input)),
    ...singlesProblem(input),
    ...unknownProblem(input, keepers),
    ...clockProblems(input),
    ...indexProblems(input),
    ...(input.networks ?? []).flatMap((network) => networkProblems(network, input, wide)),
    ...undatedProblem(input),
    ...input.chains.flatMap((chain) => problemsOfChain(chain, input)),
    ...serviceProblems(input, keepers),
    ...feedsProblem(input.feeds),
  ];
  return all.sort(
    (a, b) =>
      LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      // Incidents first: single requests may be older, and matter less.
      Number(a.id === SINGLES) - Number(b.id === SINGLES) ||
      (a.sinceMs ?? Number.POSITIVE_INFINITY) - (b.sinceMs ?? Number.POSITIVE_INFINITY) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** How trouble of the index's database is called, and how bad it is. */
const INDEX_TROUBLE: Record<Exclude<IndexState, 'ok'>, Pick<Problem, 'level' | 'text'>> = {
  'read-only': { level: 'bad', text: 'read-only' },
  slow: { level: 'bad', text: 'database too slow' },
  busy: { level: 'warning', text: 'all connections to its database busy' },
  away: { level: 'bad', text: 'database does not answer' },
};

/** While the index takes no writes, there are no new rows, and acknowledgements are lost. */
function storageProblem({ index: [status], indexState }: ProblemInput): Problem[] {
  if (indexState === 'ok') return [];
  const detail = clipped(status?.notes[0] ?? '', 200);
  const { level, text } = INDEX_TROUBLE[indexState];
  return [
    problemOf({ id: 'storage', kind: 'keeper', href: '/services', about: 'Index', level, text, detail }),
  ];
}

/** How long a loss of rows stays a problem; `/services` and exports report it for longer. */
const LOSS_SHOWN_MS = DAY_MS;

/** Merges keepers with the same problem into one line, dated by the first of them. */
function mergeKeepers(keepers: readonly Problem[]): Problem[] {
  const same = groupedBy(keepers, ({ level, text }) => `${level} ${text}`);
  return [...same.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const all = [first, ...others];
    const since = all.flatMap(({ sinceMs }) => sinceMs ?? []);
    const details = [...new Set(all.map(({ detail }) => detail).filter((detail) => detail !== ''))];
    return {
      ...first,
      id: all.map(({ id }) => id).join(),
      about: `Keepers ${all.map(({ about }) => about.replace(/^Keeper /, '')).join(', ')}`,
      sinceMs: since.length === 0 ? null : Math.min(...since),
      detail: clipped(details.join(' '), 200),
    };
  });
}

/** Whether the keeper was read recently, so that one failed call is no problem yet. */
const isFresh = ({ syncedAtMs }: KeeperStatus, nowMs: number) =>
  syncedAtMs !== null && nowMs - syncedAtMs <= STALE_AFTER_MS;

/**
 * Problems of keepers, judged as of the moment of each status: judged as of now, an old status would make every keeper
 * look late.
 */
function keeperProblems({ index, nowMs }: ProblemInput): Problem[] {
  return index.flatMap((status): Problem[] => {
    const { keeper, state, syncedAtMs, failure, late } = status;
    const about = `Keeper ${clipped(keeper, 40)}`;
    const isLost = status.lost !== null && nowMs - status.lost.sinceMs < LOSS_SHOWN_MS;
    const lost = [
      ...(isLost && status.lost !== null ? [lostProblem(about, keeper, status.lost)] : []),
      ...vanishedProblem(about, status, nowMs),
    ];
    const isBlip = failure !== null && isFresh(status, nowMs);
    if (isBlip || (failure === null && state !== 'stale' && state !== 'failing')) return lost;
    if (failure === null && late === 'dashboard') return [...lost, busyProblem(about, keeper, syncedAtMs)];
    return [
      ...lost,
      problemOf({
        id: `keeper/${keeper}`,
        kind: 'keeper',
        level: 'bad',
        href: '/services',
        about,
        text: syncedAtMs === null ? 'not synced yet' : 'not synced',
        sinceMs: syncedAtMs,
        detail: failure === null ? 'Slow to answer' : clipped(failure.detail, 200),
      }),
    ];
  });
}

/** Whether an incident means that its network is stopped now, rather than being left over from an ended outage. */
export const isOfNetwork = ({ subject, verdicts: [lead] }: Pick<Incident, 'subject' | 'verdicts'>) =>
  ['network', 'silence'].includes(subject.kind) && lead?.ended !== true;

/** A delay of the dashboard itself: the keeper's on-call need not be woken. */
const busyProblem = (about: string, keeper: string, sinceMs: number | null) =>
  problemOf({
    id: `late/${keeper}`,
    kind: 'keeper',
    level: 'warning',
    href: '/services',
    about,
    sinceMs,
    text: 'not synced',
    detail: 'Dashboard is busy',
  });

const lostProblem = (about: string, keeper: string, lost: NonNullable<KeeperStatus['lost']>) =>
  problemOf({
    id: `lost/${keeper}`,
    kind: 'keeper',
    level: 'bad',
    href: '/services',
    about,
    text: `answers ${groupDigits(lost.theirs)} of ${countOf(lost.ours, 'request')}`,
    sinceMs: lost.sinceMs,
    detail: 'Its store was emptied, replaced or damaged. What it served before is kept',
  });

/** Rows that the index itself has lost: while they are read again, and for a day where the keeper no longer has them. */
function vanishedProblem(
  about: string,
  { keeper, vanished, history }: KeeperStatus,
  nowMs: number,
): Problem[] {
  if (vanished === null || (history === null && nowMs - vanished.sinceMs >= LOSS_SHOWN_MS)) return [];
  const { rows, left, sinceMs } = vanished;
  const text =
    left === 0
      ? `${countOf(rows, 'request')} vanished from its index`
      : `${countOf(left, 'request')} missing from its index`;
  const detail = history === null ? 'The keeper no longer has them' : 'Its history is read again';
  return [
    problemOf({
      id: `vanished/${keeper}`,
      kind: 'keeper',
      level: 'bad',
      href: '/services',
      about,
      text,
      sinceMs,
      detail,
    }),
  ];
}

/** Minimum of networks of one keeper that stopped together and count as one outage. */
const MIN_NETWORKS = 3;
/**
 * Networks of one outage stopped within this time. A quiet network whose last request is hours older is reported apart.
 */
const TOGETHER_MS = 10 * 60_000;

type WideOutage = { keeper: string; networks: string[]; incidents: Incident[]; problem: Problem };

/** Outages of many networks of a keeper at once: nothing finishes on them, or nothing comes. */
function wideOutages({
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
    const news = served.filter(({ networkId }) => !acknowledgedNetworks.has(`${keeper}/${networkId}`));
    const silent = news.flatMap(({ networkId, unusual }) =>
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
    const doSomeComplete = stuck.some(({ verdicts }) => (pendingPercent(verdicts[0]) ?? 100) < 100);
    const what = size === 0 ? 'no requests' : doSomeComplete ? 'most requests stuck' : 'nothing completes';
    // Before the last request of all nothing was silent together; the first that is stuck came after the outage began.
    const sinceMs =
      size === 0
        ? Math.max(...together.map((stop) => stop.sinceMs))
        : Math.min(...stuck.map((incident) => incident.sinceMs));
    const isAll = served.length > 0 && stopped.length >= served.length;
    const ofAll = served.length === 0 ? '' : ` of ${served.length}`;
    const where = isAll ? `all ${stopped.length}` : `${stopped.length}${ofAll}`;
    const outage = problemOf({
      id: `wide/${keeper}`,
      kind: 'incident',
      level: 'bad',
      href: '/pending',
      networks: stopped,
      about: `Keeper ${clipped(keeper, 40)}`,
      text: `${what} on ${where} networks${size === 0 ? '' : `, ${groupDigits(size)} stuck`}`,
      sinceMs,
      detail: served.length > 0 && stops.size >= served.length ? 'The keeper may be down' : '',
    });
    return [{ keeper, networks: stopped, incidents: affected, problem: outage }];
  });
}

/** Share of a network's requests that are stuck (R6), percent. */
function pendingPercent(lead: Incident['verdicts'][number] | undefined): number | undefined {
  const share = lead?.figures.find(({ unit, label }) => unit === 'percent' && label === SHARE_PENDING)?.value;
  return share === undefined ? undefined : Number(share);
}

type Stop = { networkId: string; sinceMs: number };

/** The largest set of networks that stopped within `TOGETHER_MS`, in order of time; of equal sets the latest. */
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

/** Names the keeper of a network that several keepers serve. */
function keeperWords(keeper: string, networkId: string, { networks = [] }: ProblemInput): string {
  const isShared = networks.some((network) => network.networkId === networkId && network.keeper !== keeper);
  return isShared ? `, keeper ${clipped(keeper, 40)}` : '';
}

function incidentProblem(incident: Incident, input: ProblemInput): Problem {
  const { isWhole, networks } = input;
  const { keeper, networkId, subject, rule, verdicts, sinceMs, size, senders, chain } = incident;
  const isEstimate = verdicts[0]?.basis === 'estimate' && chain?.cause === undefined;
  // Silence of a network is one problem, at the worst of its known levels.
  const figures = networks?.find((network) => network.keeper === keeper && network.networkId === networkId);
  const silence = isOfNetwork(incident) ? figures?.unusual.find(({ kind }) => kind === 'silent') : undefined;
  const level = worstOf(LEVEL_OF[incident.severity], silence?.level ?? 'notice');
  const atLeast = isWhole ? '' : 'at least ';
  const whom =
    subject.kind === 'sender'
      ? `sender ${shortenHex(clipped(subject.sender, 60))}`
      : countOf(senders, 'sender');
  const senderText = senders === 0 ? '' : `, ${whom}`;
  const what = size === 0 ? 'no requests' : `${atLeast}${groupDigits(size)} stuck${senderText}`;
  return problemOf({
    id: `incident/${incident.id}`,
    kind: 'incident',
    level,
    networks: [networkId],
    text: `${what}${keeperWords(keeper, networkId, input)}`,
    sinceMs,
    detail:
      size === 0 && silence !== undefined
        ? anomalyText(silence).detail
        : `${chain?.cause?.title ?? RULE_TITLES[rule]}${isEstimate ? ' (estimate)' : ''}`,
    href: incidentPath(incident.id),
  });
}

/** Ages and silence are reckoned by the clock of the rows, so that nothing else is wrong with the keeper's networks. */
function clockProblems({ clocks = [] }: ProblemInput): Problem[] {
  return clocks.flatMap(({ keeper, answersMs, rowsMs }) => {
    if (answersMs === 0 && rowsMs === 0) return [];
    const areOneClock = !isClockSkewed(answersMs - rowsMs);
    const subject = areOneClock ? 'clock is' : answersMs === 0 ? 'rows are dated' : 'answers are dated';
    const offByMs = answersMs === 0 ? rowsMs : answersMs;
    const age = formatAge(Math.round(Math.abs(offByMs) / MINUTE_MS) * MINUTE_MS);
    return problemOf({
      id: `clock/${keeper}`,
      kind: 'keeper',
      level: 'warning',
      href: '/services',
      about: `Keeper ${clipped(keeper, 40)}`,
      text: `${subject} ${age} ${offByMs > 0 ? 'ahead' : 'behind'}`,
      detail: areOneClock
        ? 'By the dates of its answers. Silence and stuck requests are judged by it, ages shown by ours; either clock may be off'
        : 'Answers and rows differ. Silence and stuck requests are judged by the dates of rows, ages shown by our clock',
    });
  });
}

/** How long a query that ran out of memory is reported. */
const MEMORY_FAILURE_SHOWN_MS = 10 * 60_000;

function indexProblems({ nowMs, memoryFailures: { count, lastMs }, triageFailure }: ProblemInput): Problem[] {
  const problems: Problem[] = [];
  const about = 'Index';
  if (lastMs !== undefined && nowMs - lastMs < MEMORY_FAILURE_SHOWN_MS) {
    const text = `out of memory, ${countOf(count, 'question')} failed since the start`;
    const detail = 'Raise STORE_MEMORY_MB';
    problems.push(
      problemOf({
        id: 'index/memory',
        kind: 'service',
        level: 'bad',
        href: '/services',
        about,
        text,
        detail,
      }),
    );
  }
  if (triageFailure !== undefined) {
    const { sinceMs, detail } = triageFailure;
    const text = 'pending requests are not being examined';
    problems.push(
      problemOf({
        id: 'index/triage',
        kind: 'incident',
        level: 'bad',
        href: '/pending',
        about,
        text,
        sinceMs,
        detail,
      }),
    );
  }
  return problems;
}

/** Id of the problem of all single requests together. */
const SINGLES = 'singles';

function singlesProblem({ singles, isWhole }: ProblemInput): Problem[] {
  if (singles.length === 0) return [];
  return [
    problemOf({
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

/** Causes of single requests that are named; the others are counted. */
const MAX_CAUSES = 3;

/** `2 × answered on chain, not logged; later ones completed`: causes by the chain where it was queried, else by rule. */
function causesOf(singles: ProblemInput['singles']): string {
  const causes = [...groupedBy(singles, causeOf)].sort(([, a], [, b]) => b.length - a.length);
  const named = causes.slice(0, MAX_CAUSES).map(([title, { length }], at) => {
    const words = at === 0 && (causes.length === 1 || length === 1) ? title : lowerFirst(title);
    return causes.length === 1 || length === 1 ? words : `${groupDigits(length)} × ${words}`;
  });
  const left = causes.slice(MAX_CAUSES).reduce((sum, [, { length }]) => sum + length, 0);
  return clipped([...named, ...(left === 0 ? [] : [`and ${groupDigits(left)} more`])].join('; '), 200);
}

function causeOf(single: ProblemInput['singles'][number]): string {
  if (single.chain?.cause !== undefined) return single.chain.cause.title;
  return single.rule === 'R3' || single.rule === 'R4' ? 'No known cause' : groupTitle(single);
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Delay of the examination of pending requests, after the first read of their keepers, that is not reported. */
const MAX_LATE_MS = 60_000;

/** Reports that the number of stuck requests is unknown, so that silence is not taken for calm. */
function unknownProblem(input: ProblemInput, keepers: readonly Problem[]): Problem[] {
  const { status, index, triageFailure, nowMs, examinedWhileSyncingMs } = input;
  if (triageFailure !== undefined) return [];
  // The keepers have been read since, so nothing is unknown but for our own lateness.
  const isLate = examinedWhileSyncingMs !== undefined;
  if (isLate && nowMs - examinedWhileSyncingMs < MAX_LATE_MS) return [];
  const isSyncing = index.some(({ syncedAtMs, pendingAtMs }) => syncedAtMs === null || pendingAtMs === null);
  const isReported = keepers.some(({ id }) => !id.startsWith('lost/'));
  if (status.kind !== 'not-known' || isReported || isSyncing) return [];
  const shared = { id: 'stuck-unknown', about: 'Pending requests', text: 'stuck: unknown', href: '/pending' };
  const detail = isLate ? 'Dashboard is busy' : clipped(status.why, 200);
  return [problemOf({ ...shared, kind: 'incident', level: 'warning', detail })];
}

function networkProblems(
  { keeper, networkId, unusual }: NonNullable<ProblemInput['networks']>[number],
  input: ProblemInput,
  wide: readonly WideOutage[],
): Problem[] {
  const { incidents, keepers, acknowledgedNetworks } = input;
  const hasIncident =
    acknowledgedNetworks.has(`${keeper}/${networkId}`) ||
    wide.some((outage) => outage.keeper === keeper && outage.networks.includes(networkId)) ||
    incidents.some(
      (incident) => incident.keeper === keeper && incident.networkId === networkId && isOfNetwork(incident),
    );
  return unusual.flatMap((anomaly): Problem[] => {
    // An incident already reports a silence, with its evidence; high load is no problem.
    if (anomaly.level === 'notice' || (anomaly.kind === 'silent' && hasIncident)) return [];
    const scope = { networks: [networkId], keepers: keepers.length > 1 ? [keeper] : [] };
    const { text, detail } = anomalyText(anomaly);
    return [
      problemOf({
        id: `network/${keeper}/${networkId}/${anomaly.kind}`,
        kind: 'network',
        level: anomaly.level,
        networks: [networkId],
        text: `${text}${keeperWords(keeper, networkId, input)}`,
        detail,
        sinceMs: anomaly.sinceUs === null ? null : Math.floor(anomaly.sinceUs / 1000),
        next: nextStepOf(anomaly),
        unusual: { ...anomaly, keeper },
        href: formatRequestsUrl({ ...defaultRequestsView(), ...scope, ...ROWS_OF[anomaly.kind] }),
      }),
    ];
  });
}

/** Networks in trouble that were not examined because many are worse: they are counted. */
function undatedProblem({ networks = [] }: ProblemInput): Problem[] {
  const undated = networks.filter(({ unusual }) => unusual.some((anomaly) => anomaly.undated));
  if (undated.length === 0) return [];
  return [
    problemOf({
      id: 'undated',
      kind: 'network',
      level: 'notice',
      href: '/',
      about: countOf(undated.length, 'network'),
      text: 'start of trouble not looked up',
      detail: 'Many networks are in trouble at once; the worst are looked into first',
    }),
  ];
}

function serviceProblems({ health, index, nowMs }: ProblemInput, keepers: readonly Problem[]): Problem[] {
  return Object.entries(health.services ?? {}).flatMap(([name, service]): Problem[] => {
    const isReported = keepers.some(({ id }) => name === id.replace('keeper/', 'logs:'));
    const isRead = index.some((status) => name === `logs:${status.keeper}` && isFresh(status, nowMs));
    if (serviceState(service) !== 'failing' || isReported || isRead) return [];
    const level = name.startsWith('logs:') ? 'bad' : 'warning';
    const { failingSince } = service;
    const sinceMs = failingSince === undefined ? null : Date.parse(failingSince);
    const shared = { about: serviceLabel(name), text: stateWords(service), sinceMs };
    return [problemOf({ id: `service/${name}`, kind: 'service', level, href: '/services', ...shared })];
  });
}

const NAMED_FEEDS = 3;

function feedsProblem(feeds: readonly StaleFeed[]): Problem[] {
  if (feeds.length === 0) return [];
  const names = feeds.slice(0, NAMED_FEEDS).map(({ symbol, hasHours }) => {
    return `${clipped(symbol, 40)}${hasHours ? '' : ' (market hours unknown)'}`;
  });
  const more = feeds.length - names.length;
  const moments = feeds.map(({ sinceMs }) => sinceMs);
  const isTogether = Math.max(...moments) - Math.min(...moments) <= MINUTE_MS;
  return [
    problemOf({
      id: 'feeds',
      kind: 'feeds',
      level: 'warning',
      text: isTogether ? 'stale' : 'stale, the first',
      href: '/feeds',
      about: countOf(feeds.length, 'feed'),
      sinceMs: Math.min(...moments),
      detail: `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    }),
  ];
}

/** Keepers whose history is being read, and the percentage read; null before its size is known. */
export function syncingOf(index: readonly KeeperStatus[]): ProblemsAnswer['syncing'] {
  return index.flatMap(({ keeper, state, history, failure, syncedAtMs }) => {
    if (failure !== null || (state !== 'syncing' && syncedAtMs !== null)) return [];
    const percent =
      history?.expected == null
        ? null
        : Math.min(99, Math.floor((100 * history.done) / Math.max(1, history.expected)));
    return [{ keeper, percent }];
  });
}

/** Wallets, nonces and random numbers of a keeper, as its chain reports them. */
function problemsOfChain(chain: ChainState, { nowMs, keepers, acknowledgedChains }: ProblemInput): Problem[] {
  const { keeper, networkId } = chain;
  const who = keepers.length > 1 ? ` (keeper ${clipped(keeper, 40)})` : '';
  const open = chainProblems(chain, nowMs).filter(
    (problem) => acknowledgedChains?.has(chainProblemId(chain, problem)) !== true,
  );
  return open.map((problem) => {
    const { level, address, text, detail, sinceMs } = problem;
    return problemOf({
      id: chainProblemId(chain, problem),
      kind: 'chain',
      level,
      href: '/',
      networks: [networkId],
      text: `${text}${who}`,
      detail: [shortenHex(address), detail].filter((part) => part !== '').join(' · '),
      sinceMs,
    });
  });
}
