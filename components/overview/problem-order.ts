import type { NetworkInsight } from '@/lib/insights/insights-response';
import type { Problem } from '@/lib/insights/problem';

type Row = Pick<NetworkInsight, 'keeper' | 'networkId' | 'unusual' | 'pending'>;

/**
 * Networks with stuck requests or unusual figures in the order of their worst problem, the others behind them in the
 * order of `networks`.
 * @param problems the worst first
 */
export function byProblem<T extends Row>(networks: readonly T[], problems: readonly Problem[]): T[] {
  const ranks = new Map(networks.map((network) => [network, rankOf(network, problems)]));
  const rank = (network: T) => ranks.get(network) ?? problems.length;
  return networks.toSorted((a, b) => rank(a) - rank(b));
}

function rankOf({ keeper, networkId, unusual, pending }: Row, problems: readonly Problem[]): number {
  const isTroubled = unusual.length > 0 || pending.stuck > 0;
  const rank = problems.findIndex(
    ({ kind, networks, unusual: anomaly }) =>
      (kind === 'incident' || kind === 'network') &&
      networks.includes(networkId) &&
      (anomaly === undefined || anomaly.keeper === keeper),
  );
  return isTroubled && rank !== -1 ? rank : problems.length;
}
