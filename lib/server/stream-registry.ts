import 'server-only';
import type { ServerResponse } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';

export type StreamLimits = { maxStreams: number; maxStreamsPerClient: number };

/** When a client that has too many streams may ask again, seconds. */
const RETRY_AFTER_S = 5;

/**
 * The stream answers that are open or about to open: counted as a whole and by the address of the peer, so that one
 * client can't take them all.
 */
export class StreamRegistry {
  readonly #open = new Set<ServerResponse>();
  readonly #perClient = new Map<string, number>();

  /** @param limits asked for each stream; `onChange` hears how many streams of that name are open now */
  constructor(
    private readonly limits: () => StreamLimits,
    private readonly onChange: (stream: string, change: 1 | -1) => void,
  ) {}

  get size(): number {
    return this.#open.size;
  }

  /**
   * Takes a place for an answer; it is given back when the answer is closed or done. Fails with `too-many` over the
   * limit of this client or of all.
   */
  admit(stream: string, address: string, res: ServerResponse): Outcome<true> {
    const { maxStreams, maxStreamsPerClient } = this.limits();
    const mine = this.#perClient.get(address) ?? 0;
    if (mine >= maxStreamsPerClient) {
      return failed(tooMany(`This client has ${mine} streams open, and no more are allowed.`));
    }
    if (this.#open.size >= maxStreams) {
      return failed(tooMany(`This dashboard has ${maxStreams} streams open, and no more are allowed.`));
    }
    this.#perClient.set(address, mine + 1);
    this.#open.add(res);
    this.onChange(stream, 1);
    res.once('close', () => this.#release(stream, address, res));
    return ok(true);
  }

  /** Every open answer, for the end of the process. */
  all(): ServerResponse[] {
    return [...this.#open];
  }

  #release(stream: string, address: string, res: ServerResponse): void {
    if (!this.#open.delete(res)) return;
    this.onChange(stream, -1);
    const left = (this.#perClient.get(address) ?? 1) - 1;
    if (left > 0) this.#perClient.set(address, left);
    else this.#perClient.delete(address);
  }
}

function tooMany(detail: string): Failure {
  return { kind: 'too-many', detail, retryAfterS: RETRY_AFTER_S };
}
