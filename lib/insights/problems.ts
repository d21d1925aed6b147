import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { LEVELS } from './baseline';
import { incidentProblem, SINGLES, singlesProblem, unknownProblem, wideOutages } from './incident-problems';
import { clockProblems, keeperProblems, mergeKeepers } from './keeper-problems';
import { networkProblems, problemsOfChain, undatedProblem } from './network-problems';
import type { Problem, ProblemInput, ProblemsAnswer } from './problem';
import { feedsProblem, indexProblems, serviceProblems, storageProblem } from './service-problems';

const KINDS: readonly Problem['kind'][] = ['incident', 'network', 'keeper', 'chain', 'service', 'feeds'];

/** The worst first; within a level, the oldest. */
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
      // Single requests may be older but matter less.
      Number(a.id === SINGLES) - Number(b.id === SINGLES) ||
      (a.sinceMs ?? Number.POSITIVE_INFINITY) - (b.sinceMs ?? Number.POSITIVE_INFINITY) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** `percent` is null before the size is known. */
export function syncProgress(index: readonly KeeperStatus[]): ProblemsAnswer['syncing'] {
  return index.flatMap(({ keeper, state, history, failure, syncedAtMs, pendingAtMs }) => {
    if (failure !== null || (state !== 'syncing' && syncedAtMs !== null && pendingAtMs !== null)) return [];
    const percent =
      history?.expected == null
        ? null
        : Math.min(99, Math.floor((100 * history.done) / Math.max(1, history.expected)));
    return [{ keeper, percent }];
  });
}
