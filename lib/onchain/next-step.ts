import type { AnsweredOnchain, Onchain } from './onchain-response';

/** Verdicts about the RPC or its settings, which tell nothing about the request. */
const NOT_ABOUT_REQUEST: ReadonlySet<string> = new Set(['no-contract', 'rpc-behind', 'not-told']);

/** The chain's answer, if it tells something about the request. */
function answerOf(onchain: Onchain | undefined): AnsweredOnchain | undefined {
  const isTold = onchain?.asked === true && !NOT_ABOUT_REQUEST.has(onchain.verdict.kind);
  return isTold ? onchain : undefined;
}

/** Next step by the chain's answer, a sentence. It replaces the step that the log suggests; undefined: that one stays. */
export function nextStepByChain(onchain: Onchain | undefined): string | undefined {
  const { kind, next } = answerOf(onchain)?.verdict ?? {};
  if (next !== undefined) return `${next}.`;
  return kind === 'retried' ? 'Nothing to do: its callback ran when it was retried.' : undefined;
}

/** State of the request transaction by the chain; undefined if the chain has not told. */
export function transactionByChain(onchain: Onchain | undefined) {
  return answerOf(onchain)?.transaction?.state;
}

/** Short outcomes by the chain of requests that can't complete any more. */
const ENDED: Readonly<Record<string, string>> = {
  'never-mined': 'Nothing to answer.',
  'request-reverted': 'Nothing to answer.',
  replaced: 'Nothing to answer.',
  'answered-unlogged': 'Answered on chain.',
  gone: 'No longer open on chain.',
};

/** Why a request that the log calls failed can't complete any more, by the chain; undefined if it may. */
export function endedByChain(onchain: Onchain | undefined): string | undefined {
  return ENDED[answerOf(onchain)?.verdict.kind ?? ''];
}
