import { notPending } from './age-rules';
import type { DiagnosisSettings } from './diagnosis-settings';
import { type LoggedRow, used } from './evidence';
import type { Rule } from './rule';
import { cannotTell, doesNotHold, holds } from './verdict';

/** How many blocks the newest logged row is above the request: at least so far is the chain. */
export function blocksBehind(request: LoggedRow, newest: LoggedRow | null): bigint | undefined {
  const [own, top] = [request.requestBlock, newest?.requestBlock];
  if (own === undefined || top === undefined) return undefined;
  return BigInt(top) - BigInt(own);
}

export function isOutsideBacklog(behind: bigint | undefined, settings: DiagnosisSettings): boolean {
  return behind !== undefined && behind > BigInt(Math.floor(settings.backlogBlocks));
}

export const BACKLOG_HEADLINE = 'Outside the backlog: a restart alone won’t pick it up (a lower bound)';

/** R10. Newest logged block − `request_block_number` over the backlog (1000 blocks). */
export const backlogRule: Rule = (request, { newest }, settings) => {
  const refused = notPending('R10', request);
  if (refused !== undefined) return refused;
  if (newest.kind === 'missing') return cannotTell('R10', `The newest row of the network: ${newest.why}`);
  const behind = blocksBehind(request, newest.value);
  const evidence = used(['E6', newest]);
  if (behind === undefined) {
    return cannotTell('R10', 'This row, or the newest of the network, names no block', { evidence });
  }
  const found = {
    figures: [
      {
        label: 'Blocks behind the newest logged one, at least',
        value: behind.toString(),
        unit: 'blocks' as const,
      },
      { label: 'Backlog', value: settings.backlogBlocks, unit: 'blocks' as const },
    ],
    proof: newest.value === null ? [] : [newest.value.key],
    evidence,
  };
  return isOutsideBacklog(behind, settings)
    ? holds('R10', 'warning', { headline: BACKLOG_HEADLINE, ...found })
    : doesNotHold('R10', { headline: 'Within the backlog, as far as the log shows', ...found });
};
