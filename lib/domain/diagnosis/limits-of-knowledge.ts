/** Stands wherever a diagnosis does. */
export const PENDING_MEANS = 'Pending means that no outcome is recorded here; confirm on chain';

/** The one meaning of the word, wherever requests are counted. */
export const STUCK_MEANS = 'Stuck: part of an incident, or past the retry budget';

/** What these logs don't show, so that no rule can tell. */
export const CANNOT_BE_KNOWN: readonly string[] = [
  'the balance of the keeper’s wallet',
  'the fee that was paid or offered',
  'the block hash, and whether the block is still part of the chain',
  'the nonce of the keeper’s transactions',
  'the reveal delay that the keeper waits for',
];

/** Why none of the rules looks there: such a request reverts on chain and never gets a row. */
export const NEVER_THE_CAUSE =
  'Too low a fee, or no randomness left, makes a request revert on chain: it never gets a row here, so it never explains a pending one';
