import { graver, type Severity } from './diagnosis/verdict';
import type { PayloadGeneration } from './payload/generation';
import { secondsToMillis, type UnixMillis } from './units';
import {
  CUTOVER_MS,
  type UpgradeEvidence,
  type UpgradeFinding,
  type UpgradePair,
  upgradeFindings,
} from './upgrade-check';
import { brokenReasons, feedReasons, hostReasons, missingParts, shapeReasons } from './upgrade-check-reasons';

/** A statement that the verdict rests on, without full stop. */
export type UpgradeReason = { readonly severity: Severity; readonly words: string };

export type UpgradeHost = 'old' | 'upgraded';

/** All payloads of a host together. `mixed`: of both generations. `none`: it gave no payload. */
export type HostGeneration = PayloadGeneration | 'mixed' | 'none';

/** Whether payloads of a host verify on the contract of one generation. */
export type ContractFit = {
  readonly contract: UpgradeHost;
  readonly host: UpgradeHost;
  readonly verifies: 'yes' | 'no' | 'sometimes' | 'unknown';
};

export type UpgradeVerdict = {
  readonly severity: Severity;
  /** One sentence of ours without full stop. */
  readonly title: string;
  /** Gravest first. */
  readonly reasons: readonly UpgradeReason[];
  readonly generations: Readonly<Record<UpgradeHost, HostGeneration>>;
  readonly fits: readonly ContractFit[];
  /** What a client has to do whose contract is the old or the upgraded one. */
  readonly advice: Readonly<Record<UpgradeHost, string>>;
  /** What this check lacks, so that its verdict does not rest on it. */
  readonly missing: readonly string[];
  readonly findings: readonly UpgradeFinding[];
};

/** What no answer of a price service shows. */
export const UPGRADE_CANNOT_BE_KNOWN: readonly string[] = [
  'whether the contract of a client is upgraded: that stands on its chain, and a payload proves it only when it is submitted',
  'whether the signers are those that a contract trusts: only it holds their list, so the generation is told by how many sign and of how many',
  'what other keys or other regions of a host get',
];

/** Judges what a check gathered. @param nowMs tells whether the cutover is past */
export function judgeUpgrade(evidence: UpgradeEvidence, nowMs: UnixMillis): UpgradeVerdict {
  const findings = upgradeFindings(evidence);
  const telling = tellingPairs(evidence, nowMs);
  const generations = { old: generationAt(telling, 'old'), upgraded: generationAt(telling, 'upgraded') };
  const phase = nowMs < CUTOVER_MS ? 'before' : 'after';
  const main = mainStatement(generations, phase);
  const reasons = [
    ...generationReasons(generations, phase),
    ...brokenReasons(evidence),
    ...hostReasons(evidence),
    ...shapeReasons(findings),
    ...feedReasons(findings),
  ];
  const severity = reasons.reduce((worst, reason) => graver(worst, reason.severity), main.severity);
  const but = severity !== main.severity ? flaw(reasons, severity) : '';
  const fits = contractFits(generations);
  return {
    severity,
    title: `${main.words}${but}`,
    reasons: [...reasons].sort((a, b) => GRAVITY[b.severity] - GRAVITY[a.severity]),
    generations,
    fits,
    advice: { old: advice('old', fits), upgraded: advice('upgraded', fits) },
    missing: missingParts(evidence, findings),
    findings,
  };
}

const GRAVITY: Record<Severity, number> = { none: 0, notice: 1, warning: 2, critical: 3 };

/** An update of before the cutover keeps its signatures: after it, such a payload says nothing about the host of today. */
function tellingPairs({ pairs, at }: UpgradeEvidence, nowMs: UnixMillis): UpgradePair[] {
  const isHistory = nowMs >= CUTOVER_MS && secondsToMillis(at) < CUTOVER_MS;
  return pairs.filter(({ route }) => !isHistory || (route !== 'at-time' && route !== 'deprecated'));
}

function generationAt(pairs: readonly UpgradePair[], host: UpgradeHost): HostGeneration {
  const told = new Set<PayloadGeneration>();
  for (const pair of pairs) {
    const side = pair[host];
    for (const { generation } of side.kind === 'answered' ? side.payloads : []) told.add(generation);
  }
  if (told.size === 0) return 'none';
  if (told.has('before-upgrade') && told.has('upgraded')) return 'mixed';
  // A payload that can't be told takes nothing away from those that can; it is said beside them.
  if (told.has('upgraded')) return 'upgraded';
  return told.has('before-upgrade') ? 'before-upgrade' : 'unknown';
}

type Generations = UpgradeVerdict['generations'];
type Phase = 'before' | 'after';

function mainStatement({ old, upgraded }: Generations, phase: Phase): UpgradeReason {
  if (old === 'none' && upgraded === 'none') {
    return { severity: 'critical', words: 'Nothing can be concluded: neither host gave an update' };
  }
  if (old === 'none' || upgraded === 'none') return oneHostStatement(old, upgraded);
  if (upgraded === 'before-upgrade') {
    return {
      severity: phase === 'after' || old === 'upgraded' ? 'critical' : 'warning',
      words: 'Not upgraded: the upgraded host gives payloads of the generation before the upgrade',
    };
  }
  if (upgraded !== 'upgraded' || (old !== 'upgraded' && old !== 'before-upgrade')) {
    return { severity: 'warning', words: 'Unclear: not every payload can be told to be of one generation' };
  }
  if (old === 'upgraded') return bothUpgraded(phase);
  return phase === 'before'
    ? {
        severity: 'notice',
        words: 'Before the cutover, as planned: each host goes with its own contract, and mixing them fails',
      }
    : {
        severity: 'critical',
        words:
          'The old host is behind: the cutover is past, and its payloads are still of the old generation',
      };
}

function bothUpgraded(phase: Phase): UpgradeReason {
  return phase === 'after'
    ? { severity: 'none', words: 'Upgraded: both hosts give payloads for the upgraded contract' }
    : {
        severity: 'notice',
        words: 'Upgraded ahead of the cutover: both hosts give payloads for the upgraded contract',
      };
}

function oneHostStatement(old: HostGeneration, upgraded: HostGeneration): UpgradeReason {
  const [seen, generation] = old === 'none' ? ['upgraded', upgraded] : ['old', old];
  const words = `Half a check: only the ${seen} host gave updates, ${GENERATION_PHRASES[generation]}`;
  return { severity: 'warning', words };
}

const GENERATION_PHRASES: Record<HostGeneration, string> = {
  'before-upgrade': 'of the generation before the upgrade',
  upgraded: 'of the upgraded generation',
  mixed: 'of both generations',
  unknown: 'of a generation that can’t be told',
  none: 'none',
};

function generationReasons(generations: Generations, phase: Phase): UpgradeReason[] {
  const hosts = ['old', 'upgraded'] as const;
  return hosts.flatMap((host): UpgradeReason[] => {
    const generation = generations[host];
    if (generation === 'none') return [];
    const words = `Payloads of the ${host} host are ${GENERATION_PHRASES[generation]}`;
    return [{ severity: generationSeverity(host, generation, phase), words }];
  });
}

function generationSeverity(host: UpgradeHost, generation: HostGeneration, phase: Phase): Severity {
  const expected = host === 'old' && phase === 'before' ? 'before-upgrade' : 'upgraded';
  if (generation === expected) return 'none';
  if (generation === 'mixed') return 'critical';
  if (generation === 'upgraded') return 'notice';
  return generation === 'before-upgrade' && phase === 'after' ? 'critical' : 'warning';
}

/** What spoils an otherwise better verdict, within its sentence. */
function flaw(reasons: readonly UpgradeReason[], severity: Severity): string {
  const count = reasons.filter((reason) => reason.severity === severity).length;
  if (severity === 'notice') return '; the hosts differ in ways that the contract allows';
  return count === 1 ? '; but one thing is wrong' : `; but ${count} things are wrong`;
}

function contractFits(generations: Generations): ContractFit[] {
  const fits = (contract: UpgradeHost, host: UpgradeHost): ContractFit => {
    const generation = generations[host];
    const own = contract === 'upgraded' ? 'upgraded' : 'before-upgrade';
    const verifies =
      generation === 'mixed'
        ? 'sometimes'
        : generation === 'unknown' || generation === 'none'
          ? 'unknown'
          : generation === own
            ? 'yes'
            : 'no';
    return { contract, host, verifies };
  };
  return [fits('old', 'old'), fits('old', 'upgraded'), fits('upgraded', 'old'), fits('upgraded', 'upgraded')];
}

function advice(contract: UpgradeHost, fits: readonly ContractFit[]): string {
  const verifying = (host: UpgradeHost) =>
    fits.find((fit) => fit.contract === contract && fit.host === host)?.verifies ?? 'unknown';
  const [old, upgraded] = [verifying('old'), verifying('upgraded')];
  if (old === 'yes' && upgraded === 'yes') return 'Either host will do.';
  if (old === 'yes' && upgraded === 'no')
    return 'Use the old host only: payloads of the upgraded one fail here.';
  if (old === 'no' && upgraded === 'yes')
    return 'Use the upgraded host only: payloads of the old one fail here.';
  if (old === 'no' && upgraded === 'no') {
    return contract === 'old'
      ? 'No payload of either host verifies here any more: move to the upgraded contract.'
      : 'No payload of either host verifies here yet: stay with the old contract until one does.';
  }
  if (old === 'yes') return 'Use the old host; of the upgraded one it can’t be told.';
  if (upgraded === 'yes') return 'Use the upgraded host; of the old one it can’t be told.';
  return 'It can’t be told: submit the payloads of both hosts and keep whichever verifies.';
}
