import type { ProviderInfo, RevealEvent, StoredRequest } from './contract';
import type { Block, Receipt } from './read';

/** A request of the log about which the chain is queried. Hex texts are lower case with `0x`. */
export type ChainQuery = {
  networkId: string;
  contract: `0x${string}`;
  provider: `0x${string}`;
  sequence: bigint;
  requestTx?: `0x${string}`;
  requestBlock?: bigint;
  /** Transaction and block of the logged answer. */
  revealTx?: `0x${string}`;
  revealBlock?: bigint;
  /** Creation of the request by the log, unix ms. */
  createdMs: number;
  /** Outcome in the log. `callback-failed`: revealed, but its callback reverted. */
  logged: 'pending' | 'completed' | 'callback-failed' | 'failed' | 'unknown';
  user?: `0x${string}`;
  /** The provider's contribution, if the log has it. */
  contribution?: `0x${string}`;
};

/** A simulated call. `nodeMessage` is the node's error message, if it returned no data. */
export type Simulated =
  | { kind: 'succeeds'; gas?: bigint }
  | { kind: 'reverts'; data?: string; nodeMessage: string }
  | { kind: 'not-asked'; why: string };

/** Range of blocks whose events were searched. */
export type Searched = {
  /** Last block that was searched; undefined if a node refused every query, or none was sent. */
  toBlock?: bigint;
  isComplete: boolean;
  /** The node's message if it refused. */
  nodeMessage?: string;
};

/** Search for the answer to a request that is no longer open. */
export type RevealSearch = Searched & {
  fromBlock: bigint;
  /**
   * Search for events of the first generation, if the contract is of the present one: it may have been upgraded since.
   */
  older?: Searched;
  /** `timeMs` and `requestedMs` are the times of its block and of the block `fromBlock`, unix ms. */
  reveal?: RevealEvent &
    Partial<Pick<Receipt, 'from' | 'gasUsed'>> & { timeMs?: number; requestedMs?: number };
};

/** Facts that a node reported about a request. An undefined fact was not reported, or is unreadable. */
export type ChainFacts = {
  host: string;
  /** Time of the query, unix ms by our clock. */
  atMs: number;
  head: Block;
  /** Usual time between two blocks. */
  blockMs?: number;
  hasCode?: boolean;
  /** `not-indexed`: the nodes don't know the transaction, but may have dropped one of its age from their index. */
  transaction?: (Receipt & { kind: 'mined' }) | { kind: 'waiting' | 'missing' | 'not-indexed' };
  /** `gone`: the contract stores no request, or no longer does. */
  request?: StoredRequest | 'gone';
  provider?: ProviderInfo;
  search?: RevealSearch;
  reveal?: Simulated;
  callback?: Simulated;
  /** Remarks about the query: a URL that failed, or one that is behind. */
  notes: string[];
};
