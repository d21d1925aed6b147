import { countOf } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { type ChainState, chainProblemId, chainProblems } from '@/lib/onchain/network-state';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { anomalyText, nextStepOf, ROWS_OF } from './anomaly';
import { isOfNetwork, keeperWords, type WideOutage } from './incident-problems';
import { networkProblemId, newProblem, type Problem, type ProblemInput } from './problem';

export function networkProblems(
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
    // An incident already reports a silence with its evidence, and high load is no problem.
    if (anomaly.level === 'notice' || (anomaly.kind === 'silent' && hasIncident)) return [];
    const scope = { networks: [networkId], keepers: keepers.length > 1 ? [keeper] : [] };
    const { text, detail } = anomalyText(anomaly);
    return [
      newProblem({
        id: networkProblemId(keeper, networkId, anomaly.kind),
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

/** Networks in trouble that were not examined: others are worse, or the index was too slow. */
export function undatedProblem({ networks = [] }: ProblemInput): Problem[] {
  const undated = networks.filter(({ unusual }) => unusual.some((anomaly) => anomaly.undated));
  if (undated.length === 0) return [];
  return [
    newProblem({
      id: 'undated',
      kind: 'network',
      level: 'notice',
      href: '/',
      about: countOf(undated.length, 'network'),
      text: 'start of trouble not looked up',
      detail: 'The worst networks are looked into first, as far as time allows',
    }),
  ];
}

export function problemsOfChain(
  chain: ChainState,
  { nowMs, keepers, acknowledgedChains }: ProblemInput,
): Problem[] {
  const { keeper, networkId } = chain;
  const keeperText = keepers.length > 1 ? ` (keeper ${clipped(keeper, 40)})` : '';
  const open = chainProblems(chain, nowMs).filter(
    (problem) => acknowledgedChains?.has(chainProblemId(chain, problem)) !== true,
  );
  return open.map((problem) => {
    const { level, address, text, detail, sinceMs } = problem;
    return newProblem({
      id: chainProblemId(chain, problem),
      kind: 'chain',
      level,
      href: '/',
      networks: [networkId],
      text: `${text}${keeperText}`,
      detail: [shortenHex(address), detail].filter((part) => part !== '').join(' · '),
      sinceMs,
    });
  });
}
