import { decodeFailure, isContractRevert, NO_RETURN_DATA, NO_RETURN_VALUE } from './request-failure';
import type { RequestRecord } from './request-record';

/** The side at fault; `chain`: the request or its block no longer exists, so no side is. */
type FailureSide = 'keeper' | 'contract' | 'chain';

/** A side or cause that is merely possible is left undefined. */
type FailureCause = {
  side?: FailureSide;
  /** Cause with the figures of the row that prove it. */
  cause?: string;
  step: string;
};

export const SIDE_LABELS: Readonly<Record<FailureSide | 'unknown', string>> = {
  keeper: 'Keeper',
  contract: 'Sender’s contract',
  chain: 'Chain',
  unknown: 'Not recognised',
};

const RPC = 'Check the RPC endpoint of this network from the keeper’s host.';
const NOT_RECOGNISED = 'Look up the request in the keeper’s log and its transaction on chain.';
const SIMULATE = 'Simulate the callback, then send the contract’s owner an example.';

type SideAndStep = readonly [side: FailureSide | undefined, step: string];

/** Errors of the randomness contract, which reject the keeper's own call. */
const REFUSED: Readonly<Record<string, SideAndStep>> = {
  // Raised if a transaction leaves the callback less gas than its request demanded.
  InsufficientGas: [
    'keeper',
    'The keeper’s transaction had too little gas for the callback: raise the keeper’s gas multiplier.',
  ],
  OutOfRandomness: ['keeper', 'Register a new chain of commitments: no request can be answered until then.'],
  UpdateTooOld: [
    'keeper',
    'A later commitment is already revealed: check whether another replica of the keeper answered.',
  ],
  InvalidRevealCall: ['keeper', 'Check the keeper’s version: it calls the wrong reveal function.'],
  // Many contracts have an error of this name. The reveal with a callback never raises it.
  Unauthorized: [
    undefined,
    'Simulate the reveal: the callback may have raised it, or the keeper’s account lacks a permission.',
  ],
  InsufficientFee: [undefined, 'Compare the provider’s fee with what the sender paid.'],
  MaxGasLimitExceeded: ['contract', 'The sender must request less gas: a retry won’t help.'],
  BlockhashUnavailable: ['chain', 'The block is too old to look up: this request can’t be answered.'],
  IncorrectRevelation: ['keeper', 'Check the provider’s secret and chain of commitments.'],
  LastRevealedTooOld: ['keeper', 'Advance the provider’s commitment, so fewer hashes are needed.'],
  NoSuchRequest: [
    'chain',
    'Already answered or reorged: look up the request transaction in the block explorer.',
  ],
  NoSuchProvider: ['keeper', 'Register the provider on this network.'],
  AssertionFailure: [undefined, 'Report an example to the maintainers of the randomness contract.'],
};

/**
 * The first match applies: reasons of the keeper's public source, then node errors that a keeper passes on. "Hash" in
 * two of them is the signing hash, which no block explorer knows.
 */
const KEEPER_TEXTS: readonly (readonly [text: RegExp, ...cause: SideAndStep])[] = [
  [
    /^Error revealing: index not in range/,
    'keeper',
    'Register a new commitment: the provider’s chain is used up.',
  ],
  [
    /^Error revealing: Hash chain .* not available/,
    'keeper',
    'Check the keeper’s secret and commitments against the registered ones.',
  ],
  [
    /^(?:Unable to estimate gas (?:usage|price)|Error estimating gas|gas (?:usage|price) estimate error)/i,
    'keeper',
    RPC,
  ],
  [
    /^Reveal transaction failed on-chain/,
    undefined,
    'Trace the reverted one among the keeper wallet’s transactions at that time; the hash is the signing hash.',
  ],
  [
    /^Transaction was submitted, but never confirmed/,
    'keeper',
    'Check fees and pending nonce of the keeper’s wallet, and that the network makes blocks. The hash is the signing hash.',
  ],
  [
    /insufficient funds(?:[.:]| for |$)|insufficient balance for (?:gas|fee|transaction)/i,
    'keeper',
    'Fund the keeper’s wallet on this network.',
  ],
  [
    /underpriced|less than block base fee|fee too low|exceeds the configured cap|fee cap (?:less|below|too)/i,
    'keeper',
    'Raise the fee multiplier or its cap in the keeper’s settings.',
  ],
  [
    /\bnonce (?:is )?too (?:low|high)|invalid (?:transaction )?nonce|nonce gap|already known|already imported/i,
    'keeper',
    'Check the nonce of the keeper’s wallet: is another process sending from it?',
  ],
  [
    new RegExp(
      [
        '(?:from|in) the (?:mempool|txpool)$|(?:mempool|txpool) is full|transaction (?:was )?not (?:yet )?mined|never confirmed',
        '^Tx stuck in mempool|probably dropped from mempool|^Error waiting for transaction',
      ].join('|'),
      'i',
    ),
    'keeper',
    'Check fees and pending nonce of the keeper’s wallet, and that the network makes blocks.',
  ],
  [
    /exceeds block gas limit/i,
    'contract',
    'The callback’s gas limit is above the block gas limit: the sender must request less gas.',
  ],
  [
    // Needs both figures. In the text of a group they are `#`.
    /^gas (?:limit exceeded|estimate .*(?:limit|higher)).*[\d#].*[\d#]/i,
    'contract',
    'The callback needs more gas than its limit: the sender must raise the gas limit. Both figures stand in the text.',
  ],
  [
    new RegExp(
      [
        '^Provider error:|\\brpc\\b|error sending request|connect error|connection (?:refused|reset|aborted)',
        '(?:request|operation|connection|response) timed out|^timed? ?out$|gateway time-?out|deadline (?:exceeded|has elapsed)',
        'too many requests|rate limit|bad gateway|service unavailable|header not found|missing trie node|block not found',
      ].join('|'),
      'i',
    ),
    'keeper',
    RPC,
  ],
  [
    /^Error submitting the (?:reveal )?transaction/,
    'keeper',
    'Check balance, nonce and fees of the keeper’s wallet, and its RPC endpoint.',
  ],
  [/^Error revealing:/, 'keeper', 'Look up the sequence in the keeper’s log.'],
];

const causeOf = ([side, step]: SideAndStep): FailureCause => (side === undefined ? { step } : { side, step });

const refusedBy = (name: string): SideAndStep | undefined =>
  Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;

/** Put before an error by some versions of the keeper. */
const BEFORE_ERROR = /^(?:Error revealing|Unexpected error): /;

/** Text of a node. The words may come from any contract. */
const REVERTED = /\breverted\b/i;

function causeOfKeeperText(text: string): FailureCause {
  if (REVERTED.test(text)) return { step: NOT_RECOGNISED };
  const error = text.replace(BEFORE_ERROR, '');
  const entry = KEEPER_TEXTS.find(([form]) => form.test(text) || form.test(error));
  if (entry === undefined) return { step: NOT_RECOGNISED };
  const [, ...cause] = entry;
  return causeOf(cause);
}

/** Percent of the limit from which a callback that reverted without data most likely ran out of gas. */
const OUT_OF_GAS_PERCENT = 95;
/** Percent of the limit above which the logged limit cannot have been the one in force. */
const MAX_GAS_PERCENT = 110;

/** Percent with two decimals; undefined if a figure is missing. */
function gasShare(used: string | undefined, limit: string | undefined): number | undefined {
  const read = (digits = '') => (/^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined);
  const part = read(used);
  const whole = read(limit);
  return part === undefined || !whole ? undefined : Number((part * 10_000n) / whole) / 100;
}

type Failed = Pick<RequestRecord, 'state' | 'gasLimit'>;

/** Judged by the request's own row; undefined if nothing failed. */
export function failureCause({ state, gasLimit }: Failed): FailureCause | undefined {
  const failure = decodeFailure({ state });
  if (failure === undefined) return undefined;
  const { name = '', text, selector } = failure;
  if (state.kind === 'completed') {
    const share = gasShare(state.callbackGasUsed, gasLimit);
    const isNearLimit = share !== undefined && share >= OUT_OF_GAS_PERCENT && share <= MAX_GAS_PERCENT;
    // A text with a selector comes from the contract and may imitate ours.
    if (text === NO_RETURN_DATA && selector === undefined && isNearLimit) {
      return {
        side: 'contract',
        cause: `Likely out of gas: ${share.toFixed(1).replace(/\.0$/, '')}% of the limit used`,
        step: 'Retry it with more gas, and raise the limit where the contract requests randomness.',
      };
    }
    return { side: 'contract', step: callbackStep(text, name, selector !== undefined) };
  }
  if (state.kind !== 'failed') return undefined;
  const refused = refusedBy(name);
  if (refused !== undefined) return causeOf(refused);
  if (!isContractRevert(state.reason)) return causeOfKeeperText(text);
  if (text === NO_RETURN_DATA) return { step: 'Simulate the reveal: it reverted without data.' };
  return { side: 'contract', step: callbackStep(text, name, selector !== undefined) };
}

function callbackStep(text: string, name: string, hasSelector: boolean): string {
  if (text === NO_RETURN_VALUE) return 'Simulate the callback: what it returned is not logged.';
  if (text === NO_RETURN_DATA) return 'Compare gas used with the limit, then simulate the callback.';
  if (/^Panic/.test(text)) return 'A bug in the contract: send its owner an example.';
  if (hasSelector && name === '')
    return 'Look up the selector in the contract’s source, then simulate the callback.';
  return SIMULATE;
}

type FailureGroup = {
  group: string;
  rows: number;
  /** Rows whose callback failed. */
  callbacks: number;
};

/**
 * Judges failed rows of a group one by one: its text may come from a stranger's contract that imitates an error of the
 * keeper, so it alone never names a side. No side if the rows disagree, or if there are none.
 * @param members failed rows, of different senders where the group has several
 */
export function groupCause(
  { group, rows, callbacks }: FailureGroup,
  members: readonly Failed[],
): FailureCause {
  if (callbacks === rows) {
    return {
      side: 'contract',
      step: callbackStep(group, refusedBy(group) ? group : '', /^0x[0-9a-f]{8}$/.test(group)),
    };
  }
  if (callbacks > 0) return { step: `${SIMULATE} ${NOT_RECOGNISED}` };
  const [first, ...others] = members.map((member) => failureCause(member) ?? { step: NOT_RECOGNISED });
  if (first === undefined) return { step: NOT_RECOGNISED };
  const isAgreed = others.every(({ side, step }) => side === first.side && step === first.step);
  return isAgreed ? first : { step: NOT_RECOGNISED };
}
