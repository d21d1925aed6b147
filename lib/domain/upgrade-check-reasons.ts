import type { FailureKind } from './outcome';
import type { UpgradeEvidence, UpgradeFinding, UpgradePair, UpgradeRoute } from './upgrade-check';
import type { UpgradeHost, UpgradeReason } from './upgrade-check-verdict';

/** What the routes are called on screen. */
export const UPGRADE_ROUTE_NAMES: Record<UpgradeRoute, string> = {
  latest: 'latest',
  'at-time': 'at a time',
  directory: 'feed directory',
  deprecated: 'deprecated single feed',
  stream: 'stream',
};

const HOSTS = ['old', 'upgraded'] as const;

const FAILURE_PHRASES: Record<FailureKind, string> = {
  rejected: 'refused the request',
  missing: 'found nothing (404)',
  unauthorized: 'refused our key',
  'rate-limited': 'limits our calls (429)',
  failing: 'has a fault of its own',
  unreachable: 'can’t be reached',
  timeout: 'did not answer in time',
  malformed: 'gave an answer that can’t be read',
  unconfigured: 'is not configured',
  'too-many': 'was not asked: our own limit of calls is reached',
  'bad-request': 'was not asked: our own server refused the request',
};

function sides({ pairs }: UpgradeEvidence, host: UpgradeHost) {
  return pairs.map((pair) => ({ pair, side: pair[host] }));
}

/** Payloads that no contract would take, whatever its generation. */
export function brokenReasons(evidence: UpgradeEvidence): UpgradeReason[] {
  return HOSTS.flatMap((host): UpgradeReason[] => {
    const payloads = sides(evidence, host).flatMap(({ side }) =>
      side.kind === 'answered' ? side.payloads : [],
    );
    const count = payloads.filter(({ standing }) => standing === 'broken').length;
    if (count === 0) return [];
    const words = `${count} of ${payloads.length} payloads of the ${host} host can’t be read, or prove not what they hold`;
    return [{ severity: 'critical', words }];
  });
}

/** Whether each host was reached with the key, and which routes failed. */
export function hostReasons(evidence: UpgradeEvidence): UpgradeReason[] {
  return HOSTS.flatMap((host) => {
    const all = sides(evidence, host);
    const answered = all.filter(({ side }) => side.kind === 'answered').length;
    const first = all.flatMap(({ side }) => (side.kind === 'answered' ? [] : [side.failure.kind]))[0];
    // Nobody is at fault where no host is set.
    const severity = first === 'unconfigured' ? 'notice' : 'critical';
    if (answered === 0) return [{ severity, words: unanswered(host, first) }];
    const reached: UpgradeReason = {
      severity: 'none',
      words: `The ${host} host is reached, and takes our key: ${answered} of ${all.length} calls answered`,
    };
    return [
      reached,
      ...routeFailures(
        all.map(({ pair }) => pair),
        host,
      ),
    ];
  });
}

function unanswered(host: UpgradeHost, kind: FailureKind | undefined): string {
  return `The ${host} host ${kind === undefined ? 'was not asked' : FAILURE_PHRASES[kind]}`;
}

/** The feed directory is no promise of the contract, so that its lack is no fault of a host. */
function routeFailures(pairs: readonly UpgradePair[], host: UpgradeHost): UpgradeReason[] {
  const failed = new Map<string, UpgradeReason>();
  for (const pair of pairs) {
    const side = pair[host];
    if (side.kind !== 'failed') continue;
    const words = `${UPGRADE_ROUTE_NAMES[pair.route]}: the ${host} host ${FAILURE_PHRASES[side.failure.kind]}`;
    failed.set(words, { severity: pair.route === 'directory' ? 'notice' : 'warning', words: capital(words) });
  }
  return [...failed.values()];
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether the answers have the same form. Routes of one name count once. */
export function shapeReasons(findings: readonly UpgradeFinding[]): UpgradeReason[] {
  const compared = findings.filter(({ pair }) => bothAnswered(pair));
  const reasons = new Map<string, UpgradeReason>();
  for (const { pair, differences } of compared) {
    const name = capital(UPGRADE_ROUTE_NAMES[pair.route]);
    const count = (...kinds: string[]) => differences.filter(({ kind }) => kinds.includes(kind)).length;
    const [broken, added, optional] = [count('missing', 'changed'), count('added'), count('optional')];
    const add = (severity: UpgradeReason['severity'], words: string) =>
      reasons.set(`${name} ${severity}`, { severity, words: `${name}: ${words}` });
    if (broken > 0) add('warning', `${members(broken)} missing or of another type on the upgraded host`);
    if (added + optional > 0)
      add('notice', `${members(added + optional)} added or left out, as the contract allows`);
  }
  const routes = new Set(compared.map(({ pair }) => pair.route)).size;
  if (reasons.size > 0 || routes === 0) return [...reasons.values()];
  const words = `The answers of ${routes === 1 ? 'the one route' : `all ${routes} routes`} compared have the same form, member by member`;
  return [{ severity: 'none', words }];
}

function members(count: number): string {
  return count === 1 ? 'one member is' : `${count} members are`;
}

function bothAnswered({ old, upgraded }: UpgradePair): boolean {
  return old.kind === 'answered' && upgraded.kind === 'answered';
}

/** Whether the prices agree; where a route picks the moment, only the same moment is compared. */
export function feedReasons(findings: readonly UpgradeFinding[]): UpgradeReason[] {
  const all = findings.flatMap(({ agreements }) => agreements);
  if (all.length === 0) return [];
  const of = (standing: string) => all.filter((one) => one.standing === standing).length;
  const [equal, within, beyond] = [of('equal'), of('within'), of('beyond')];
  const reasons: UpgradeReason[] = [];
  if (beyond > 0) {
    const words = `${figures(beyond)} of the same moment differ by more than the combined confidence`;
    reasons.push({ severity: 'critical', words });
  }
  if (within > 0) {
    const words = `${figures(within)} of the same moment differ, within the combined confidence`;
    reasons.push({ severity: 'notice', words });
  }
  if (equal > 0) {
    const words = `${figures(equal)} of the same moment ${equal === 1 ? 'is' : 'are'} equal to the digit`;
    reasons.push({ severity: 'none', words });
  }
  return [...reasons, ...momentReasons(findings)];
}

function figures(count: number): string {
  return count === 1 ? 'One price' : `${count} prices`;
}

/** The same second asked of both hosts must give the same update. */
function momentReasons(findings: readonly UpgradeFinding[]): UpgradeReason[] {
  const apart = findings
    .filter(({ pair }) => pair.route === 'at-time' || pair.route === 'deprecated')
    .flatMap(({ agreements }) => agreements)
    .filter(({ standing }) => standing === 'other-moment').length;
  if (apart === 0) return [];
  const words = `Asked for the same second, the hosts gave updates of different publish times (${apart})`;
  return [{ severity: 'warning', words }];
}

/** What the check lacks. */
export function missingParts(evidence: UpgradeEvidence, findings: readonly UpgradeFinding[]): string[] {
  const parts = new Set<string>();
  for (const pair of evidence.pairs) {
    const name = UPGRADE_ROUTE_NAMES[pair.route];
    for (const host of HOSTS) {
      const side = pair[host];
      if (side.kind === 'failed')
        parts.add(`${name} of the ${host} host: it ${FAILURE_PHRASES[side.failure.kind]}`);
      if (side.kind === 'skipped')
        parts.add(`${name} of the ${host} host: not asked after the first failure`);
      if (side.kind === 'answered' && side.payloads.length === 0 && pair.route !== 'directory')
        parts.add(`${name} of the ${host} host: the answer holds no payload`);
    }
  }
  for (const finding of findings) for (const part of absentFeeds(finding)) parts.add(part);
  if (!evidence.pairs.some(({ route }) => route === 'deprecated')) {
    parts.add('the deprecated route: it is asked only where you say so');
  }
  return [...parts];
}

function absentFeeds({ pair, onlyOld, onlyUpgraded, nowhere }: UpgradeFinding): string[] {
  const name = UPGRADE_ROUTE_NAMES[pair.route];
  // The first event of a stream need not hold every feed.
  if (pair.route === 'stream') return [];
  return [
    ...onlyOld.map((id) => `${name}: feed ${short(id)} on the upgraded host`),
    ...onlyUpgraded.map((id) => `${name}: feed ${short(id)} on the old host`),
    ...nowhere.map((id) => `${name}: feed ${short(id)} on both hosts`),
  ];
}

function short(id: string): string {
  return `${id.slice(0, 6)}…${id.slice(-4)}`;
}
