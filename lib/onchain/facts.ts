import type { ProviderInfo, RevealEvent, StoredRequest } from './contract';
import type { Block, Receipt } from './read';

/** Hex texts are lower case with `0x`. */
export type ChainQuery = {
  networkId: string;
  contract: `0x${string}`;
  provider: `0x${string}`;
  sequence: bigint;
  requestTx?: `0x${string}`;
  requestBlock?: bigint;
  /** Transaction of the logged answer. */
  revealTx?: `0x${string}`;
  revealBlock?: bigint;
  /** Creation time in the log, unix ms. */
  createdMs: number;
  /** Moment up to which the keeper's log was read, unix ms. */
  logReadMs?: number;
  /** `callback-failed`: revealed, but the callback reverted. */
  logged: 'pending' | 'completed' | 'callback-failed' | 'failed' | 'unknown';
  /** The requester. */
  sender?: `0x${string}`;
  user?: `0x${string}`;
  contribution?: `0x${string}`;
};

/** `nodeMessage` is the node's error message, if it returned no data. */
export type Simulated =
  | { kind: 'succeeds'; gas?: bigint }
  | { kind: 'reverts'; data?: string; nodeMessage: string }
  | { kind: 'not-simulated'; why: string };

/** Blocks whose events were searched. */
export type SearchedBlocks = {
  /** Undefined if a node refused every query, or none was sent. */
  toBlock?: bigint;
  isComplete: boolean;
  /** Set if the node refused. */
  nodeMessage?: string;
};

/** The result of a search for the answer to a request that is no longer open. */
export type RevealSearch = SearchedBlocks & {
  fromBlock: bigint;
  /** Events of the first generation, if the contract is of the present one: it may have been upgraded since. */
  older?: SearchedBlocks;
  /** Times of the answer's block and of the block `fromBlock`, unix ms. */
  reveal?: RevealEvent &
    Partial<Pick<Receipt, 'from' | 'gasUsed'>> & { timeMs?: number; requestedMs?: number };
};

/** An undefined fact was not reported, or is unreadable. */
export type ChainFacts = {
  host: string;
  /** Time of the query, unix ms by our clock. */
  atMs: number;
  head: Block;
  /** Usual time between two blocks. */
  blockMs?: number;
  hasCode?: boolean;
  /** `not-indexed`: no node has the transaction, but may have dropped one of its age from its index. */
  transaction?: (Receipt & { kind: 'mined' }) | { kind: 'waiting' | 'missing' | 'not-indexed' };
  /** `gone`: the contract stores no request, or no longer does. */
  request?: StoredRequest | 'gone';
  provider?: ProviderInfo;
  search?: RevealSearch;
  reveal?: Simulated;
  callback?: Simulated;
  /** Notes about the query: a URL that failed, or one that is behind. */
  notes: string[];
};
