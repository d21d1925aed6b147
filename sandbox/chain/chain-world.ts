import type { LogOverlay } from '@/sandbox/logs/log-overlay';
import {
  combinedNumber,
  errorString,
  failureReason,
  getGasLimit,
  getReveal,
  hasTransaction,
  type LogRow,
  providerAddress,
  providerNumber,
  type RowState,
  requestBlock,
  requestHash,
  senderAddress,
  userNumber,
} from '@/sandbox/logs/log-row';
import { blockAt, blockTime, NETWORKS, networkAt, type SimulatedNetwork } from '@/sandbox/logs/networks';
import { randomHex } from '@/sandbox/logs/random';
import { STUCK_SENDER } from '@/sandbox/logs/troubles';

/** Hex texts have 0x unless stated otherwise. */
export type ChainRequest = {
  row: LogRow;
  provider: string;
  sequence: number;
  sender: string;
  requestHash: string;
  requestBlock: number;
  gasLimit: number;
  user: string;
  providerNumber: string;
  randomNumber: string;
  /** `lost`: its block was removed by a reorganisation. `refused`: the contract reverted it. */
  status: 'open' | 'answered' | 'callback-failed' | 'lost' | 'refused';
  reveal: ReturnType<typeof getReveal> | undefined;
  /** Revert data of a reveal at the contract; below it, that of the requester's callback alone. */
  revealReverts: string | undefined;
  callbackReverts: string | undefined;
};

const WALLET = 105;
const WALLET_WEI = 2_000_000_000_000_000_000n;
export const GAS_PRICE = 1_000_000_000n;
/** The contract stores a gas limit as 16 bits, in units of 10,000. */
const MAX_GAS_LIMIT = 655_350_000;
/** NoSuchRequest(). */
const NO_SUCH_REQUEST = '0xc4237352';
const REGISTERED_AT_ONCE = 100_000;

/** Derived from the same world as the log, but orders for the log service do not affect it. */
export class ChainWorld {
  readonly network: SimulatedNetwork;
  readonly head: number;
  private cachedRows: LogRow[] | undefined;

  constructor(
    private readonly overlay: LogOverlay,
    private readonly number: number,
    private readonly nowMs: number,
    private readonly walletWei = WALLET_WEI,
  ) {
    this.network = networkAt(number);
    this.overlay.world.moveTo(nowMs);
    const stoppedMs = overlay.world.scenario?.stoppedMs(number) ?? nowMs;
    this.head = blockAt(this.network, Math.min(nowMs, stoppedMs));
  }

  blockTimeMs(block: number): number {
    return blockTime(this.network, block);
  }

  /** The request; after a reorganisation, the twin. */
  request(provider: string, sequence: number): ChainRequest | undefined {
    const same = this.rows().filter((row) => row.sequence === sequence && this.providerOf(row) === provider);
    const [last] = same.toSorted((a, b) => b.createdMs - a.createdMs);
    const request = last && this.chainRequest(last, false);
    return request?.status === 'lost' || request?.status === 'refused' ? undefined : request;
  }

  ofTransaction(hash: string): ChainRequest[] {
    const isMatch = hasTransaction(hash.slice(2).toLowerCase());
    return this.rows()
      .filter((row) => isMatch(row, this.overlay.getState(row).state))
      .map((row) => this.chainRequest(row, this.isTwinned(row)));
  }

  lane(provider: string): { next: number; revealed: number; end: number; answered: number } | undefined {
    const rows = this.rows().filter((row) => this.providerOf(row) === provider);
    if (rows.length === 0) return undefined;
    let last = 0;
    let revealed = 0;
    let answered = 0;
    for (const row of rows) {
      last = Math.max(last, row.sequence);
      const { state } = this.overlay.getState(row);
      if (state !== 'Completed' && state !== 'CallbackErrored') continue;
      revealed = Math.max(revealed, row.sequence);
      answered += 1;
    }
    const end = (Math.floor(last / REGISTERED_AT_ONCE) + 2) * REGISTERED_AT_ONCE;
    return { next: last + 1, revealed, end, answered };
  }

  /** The keeper's wallet, which sends every reveal. */
  wallet(): { address: string; wei: bigint; nonce: number } {
    const address = `0x${randomHex(this.overlay.world.mixer, WALLET, this.number, 5)}`;
    const sent = this.rows().filter((row) => this.overlay.getState(row).state !== 'Pending');
    return { address, wei: this.walletWei, nonce: sent.length };
  }

  private rows(): LogRow[] {
    this.cachedRows ??= this.overlay.requests(this.nowMs).filter(({ network }) => network === this.number);
    return this.cachedRows;
  }

  private providerOf({ provider }: LogRow): string {
    return providerAddress(this.overlay.world.mixer, this.network, provider);
  }

  private isTwinned(row: LogRow): boolean {
    return this.rows().some(
      (other) =>
        other.provider === row.provider && other.sequence === row.sequence && other.createdMs > row.createdMs,
    );
  }

  private chainRequest(row: LogRow, isTwinned: boolean): ChainRequest {
    const { world } = this.overlay;
    const rowState = this.overlay.getState(row);
    const gasLimit = getGasLimit(world.mixer, row, this.network);
    const isAnswered = rowState.state === 'Completed' || rowState.state === 'CallbackErrored';
    const reveal = isAnswered ? getReveal({ row, ...rowState }, this.network, gasLimit) : undefined;
    return {
      row,
      provider: this.providerOf(row),
      sequence: row.sequence,
      sender: senderAddress(world.mixer, row.sender),
      requestHash: requestHash(row),
      requestBlock: requestBlock(this.network, row.createdMs),
      gasLimit,
      user: `0x${userNumber(row)}`,
      providerNumber: `0x${providerNumber(row)}`,
      randomNumber: `0x${combinedNumber(row)}`,
      status: isTwinned ? 'lost' : statusOf(row, rowState, gasLimit),
      reveal,
      ...this.reverts(row, rowState, reveal?.returned),
    };
  }

  private reverts(row: LogRow, { state }: RowState, returned: string | undefined) {
    const none = { revealReverts: undefined, callbackReverts: undefined };
    const { scenario } = this.overlay.world;
    const isBad = row.sender === STUCK_SENDER || scenario?.badSenders.includes(row.sender) === true;
    if (state === 'Pending') return isBad ? { ...none, callbackReverts: errorString('Vault: paused') } : none;
    if (state === 'Failed') return { ...none, revealReverts: /0x[0-9a-f]+$/.exec(failureReason(row))?.[0] };
    // It ran out of gas at its limit, so a retry with more gas succeeds.
    if (state === 'CallbackErrored' && returned !== '0x')
      return { revealReverts: returned, callbackReverts: returned };
    return none;
  }
}

function statusOf(row: LogRow, { state }: RowState, gasLimit: number): ChainRequest['status'] {
  if (gasLimit > MAX_GAS_LIMIT) return 'refused';
  if (state === 'Failed') return failureReason(row).endsWith(NO_SUCH_REQUEST) ? 'lost' : 'open';
  if (state === 'Pending') return 'open';
  return state === 'CallbackErrored' ? 'callback-failed' : 'answered';
}

/** Index among the networks of all keepers. */
export function networkNumber(networkId: string): number | undefined {
  const index = NETWORKS.findIndex((network) => network.networkId === networkId);
  return index < 0 ? undefined : index;
}
