import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { endStream } from './stream-response';

export type StreamLimits = { maxStreams: number; maxStreamsPerClient: number };

/** When a client that has too many streams may ask again, seconds. */
const RETRY_AFTER_S = 5;

/**
 * The stream answers that are open or about to open: counted as a whole and by what a visitor is known by (address, user
 * or session), so that one client can't take them all.
 */
export class StreamRegistry {
  readonly #open = new Map<ServerResponse, { request: IncomingMessage; client: readonly string[] }>();
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
  admit(
    stream: string,
    client: readonly string[],
    request: IncomingMessage,
    res: ServerResponse,
  ): Outcome<true> {
    const { maxStreams, maxStreamsPerClient } = this.limits();
    const mine = Math.max(0, ...client.map((key) => this.#perClient.get(key) ?? 0));
    if (mine >= maxStreamsPerClient) {
      return failed(tooMany(`This client has ${mine} streams open, and no more are allowed.`));
    }
    if (this.#open.size >= maxStreams) {
      return failed(tooMany(`This dashboard has ${maxStreams} streams open, and no more are allowed.`));
    }
    for (const key of client) this.#perClient.set(key, (this.#perClient.get(key) ?? 0) + 1);
    this.#open.set(res, { request, client });
    this.onChange(stream, 1);
    const release = () => this.#release(stream, res);
    res.once('close', release);
    // An answer whose turn had not come on its connection (pipelining) is never said to be closed.
    if (!res.socket) request.socket.once('close', release);
    return ok(true);
  }

  /** Every open answer, for the end of the process. */
  all(): ServerResponse[] {
    return [...this.#open.keys()];
  }

  /** Ends those whose readers would not be let in any more, one after the other: thousands of them hold up nothing else. */
  async endUnless(isStillAuthorized: (request: IncomingMessage) => Promise<boolean>): Promise<void> {
    for (const [res, { request }] of [...this.#open]) if (!(await isStillAuthorized(request))) endStream(res);
  }

  /** The open answers of one client. */
  of(key: string): ServerResponse[] {
    return [...this.#open].flatMap(([res, { client }]) => (client.includes(key) ? [res] : []));
  }

  #release(stream: string, res: ServerResponse): void {
    const { client } = this.#open.get(res) ?? {};
    if (!client || !this.#open.delete(res)) return;
    this.onChange(stream, -1);
    for (const key of client) {
      const left = (this.#perClient.get(key) ?? 1) - 1;
      if (left > 0) this.#perClient.set(key, left);
      else this.#perClient.delete(key);
    }
  }
}

function tooMany(detail: string): Failure {
  return { kind: 'too-many', detail, retryAfterS: RETRY_AFTER_S };
}
