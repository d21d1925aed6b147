import type { BlockTimes } from '@/lib/core/request-record';
import type { AnsweredOnchain, Onchain, SimulatedOnchain } from './onchain-response';

/** Kinds of verdict that are about the RPC or its settings, not about the request. */
const INCONCLUSIVE: ReadonlySet<string> = new Set(['no-contract', 'rpc-behind', 'chain-reset', 'not-told']);

export function conclusiveAnswer(onchain: Onchain | undefined): AnsweredOnchain | undefined {
  const isConclusive = onchain?.asked === true && !INCONCLUSIVE.has(onchain.verdict.kind);
  return isConclusive ? onchain : undefined;
}

/** A sentence; if undefined, the step by the log stays. @param failure text of the logged failure */
export function nextStepByChain(onchain: Onchain | undefined, failure?: string): string | undefined {
  const { kind, next, headline } = conclusiveAnswer(onchain)?.verdict ?? {};
  // The log's step is about this very error, the chain's about any error.
  if (kind === 'reveal-reverts' && failure && headline?.includes(failure)) return undefined;
  if (next !== undefined) return `${next}.`;
  return kind === 'retried' ? 'Nothing to do: its callback ran when it was retried.' : undefined;
}

/** Undefined without a conclusive answer. */
export function transactionByChain(onchain: Onchain | undefined) {
  const state = conclusiveAnswer(onchain)?.transaction?.state;
  return state === 'not-indexed' ? undefined : state;
}

/** Times of both blocks, only if the chain confirms them. @param revealTx of the answer in the log */
export function blockTimesByChain(
  onchain: Onchain | undefined,
  revealTx: string | undefined,
): BlockTimes | undefined {
  const { tx, timeMs, requestedMs } = conclusiveAnswer(onchain)?.answer ?? {};
  if (timeMs === undefined || requestedMs === undefined) return undefined;
  if (tx?.toLowerCase() !== revealTx?.toLowerCase()) return undefined;
  return { requestedMs, answeredMs: timeMs };
}

/** Outcomes of failed requests and callbacks, by kind of verdict. */
const OUTCOMES: Readonly<Record<string, string>> = {
  'never-mined': 'Nothing to answer.',
  'request-reverted': 'Nothing to answer.',
  replaced: 'Nothing to answer.',
  open: 'Still open on chain.',
  'too-many-hashes': 'Still open on chain; it needs too many hashes.',
  'reveal-succeeds': 'Still open on chain; a reveal would succeed.',
  'reveal-reverts': 'Still open on chain; a reveal would revert.',
  'callback-reverts': 'Still open on chain; its callback would revert.',
  'answered-unlogged': 'Answered on chain.',
  gone: 'No longer open on chain.',
  retried: 'Retried on chain, where it ran.',
  'retry-succeeds': 'A retry now would succeed.',
  'retry-reverts': 'A retry now would revert.',
};

const ENDED = ['never-mined', 'request-reverted', 'replaced', 'answered-unlogged', 'gone', 'retried'];

/** The logged failure is then history. */
export function isEndedByChain(onchain: Onchain | undefined): boolean {
  return ENDED.includes(conclusiveAnswer(onchain)?.verdict.kind ?? '');
}

/** The words above the command that retries a failed callback. */
export function retryText(onchain: Onchain | undefined): string {
  return isEndedByChain(onchain) || isGone(onchain)
    ? 'The request is no longer open on chain: the command would revert.'
    : 'Run it with Foundry from any account. It costs gas, and the callback may revert again.';
}

/** The outcome of a request or callback that the log calls failed; undefined if the chain adds nothing. */
export function outcomeByChain(onchain: Onchain | undefined): string | undefined {
  const outcome = OUTCOMES[conclusiveAnswer(onchain)?.verdict.kind ?? ''];
  return outcome ?? (isGone(onchain) ? OUTCOMES.gone : undefined);
}

/** An answer may be as logged, with its failed callback, and the request still be stored no more. */
const isGone = (onchain: Onchain | undefined) => conclusiveAnswer(onchain)?.request?.state === 'gone';

/** Verdicts whose headline includes the result of the simulated reveal. */
const REVEAL_IN_HEADLINE: ReadonlySet<string> = new Set([
  'reveal-succeeds',
  'reveal-reverts',
  'retry-succeeds',
  'retry-reverts',
]);

type SimulatedField = { name: string; simulated: SimulatedOnchain; note: string };

/** The simulations that the headline leaves out. `note` says why a success does not contradict it. */
export function simulatedFields({
  verdict: { kind },
  reveal,
  callback,
}: Pick<AnsweredOnchain, 'verdict' | 'reveal' | 'callback'>): SimulatedField[] {
  // The contract catches the revert of a callback that has a gas limit.
  const revealNote = kind === 'callback-reverts' ? ', its callback failed' : '';
  const isPrevented = reveal?.kind === 'reverts';
  return [
    ...(reveal && !REVEAL_IN_HEADLINE.has(kind)
      ? [{ name: 'Reveal now', simulated: reveal, note: revealNote }]
      : []),
    ...(callback && kind !== 'callback-reverts'
      ? [
          {
            name: isPrevented ? 'Callback alone' : 'Callback now',
            simulated: callback,
            note: isPrevented ? ', if it were reached' : '',
          },
        ]
      : []),
  ];
}
