import type { AnsweredOnchain, Onchain } from './onchain-response';

/** Verdicts about the RPC or its settings, not about the request. */
const INCONCLUSIVE: ReadonlySet<string> = new Set(['no-contract', 'rpc-behind', 'chain-reset', 'not-told']);

/** The chain's answer, if its verdict is about the request. */
function conclusiveAnswer(onchain: Onchain | undefined): AnsweredOnchain | undefined {
  const isConclusive = onchain?.asked === true && !INCONCLUSIVE.has(onchain.verdict.kind);
  return isConclusive ? onchain : undefined;
}

/** Next step by the chain's answer, a sentence. It replaces the step that the log suggests; undefined: that one stays. */
export function nextStepByChain(onchain: Onchain | undefined): string | undefined {
  const { kind, next } = conclusiveAnswer(onchain)?.verdict ?? {};
  if (next !== undefined) return `${next}.`;
  return kind === 'retried' ? 'Nothing to do: its callback ran when it was retried.' : undefined;
}

/** State of the request transaction by the chain; undefined without a conclusive answer. */
export function transactionByChain(onchain: Onchain | undefined) {
  return conclusiveAnswer(onchain)?.transaction?.state;
}

/** Outcome of a request that can't complete any more, by the kind of the chain's verdict. */
const ENDED: Readonly<Record<string, string>> = {
  'never-mined': 'Nothing to answer.',
  'request-reverted': 'Nothing to answer.',
  replaced: 'Nothing to answer.',
  'answered-unlogged': 'Answered on chain.',
  gone: 'No longer open on chain.',
};

/** Why a request that the log calls failed can't complete any more, by the chain; undefined if it may. */
export function endedByChain(onchain: Onchain | undefined): string | undefined {
  return ENDED[conclusiveAnswer(onchain)?.verdict.kind ?? ''];
}
