import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { askerOf } from './asker';
import { endStream } from './stream-response';
import { mayStay } from './visitor';

/** How long somebody whose session has ended, or whose password was changed, still hears a stream at most, in ms. */
export const ASK_AGAIN_MS = 60_000;

/**
 * The streams that are held. Who asks for one is looked at when it begins, but it may last for weeks: so everybody is
 * looked at again once a minute, by what he sent then, and whoever would not be let in any more is cut off. Our own pages
 * come back by themselves with the cookie that they have by now.
 */
export class HeldStreams {
  readonly #held = new Map<ServerResponse, IncomingMessage>();
  #timer?: NodeJS.Timeout;

  /** @param bug hears of errors of ours */
  constructor(private readonly bug: (error: unknown) => void) {}

  /** A stream that has begun, until its response is closed. One that was refused has ended already, and is none. */
  add(request: IncomingMessage, response: ServerResponse): void {
    if (response.destroyed || response.writableEnded) return;
    this.#held.set(response, request);
    response.once('close', () => this.#drop(response));
    this.#timer ??= setInterval(() => void this.#askAll().catch(this.bug), ASK_AGAIN_MS).unref();
  }

  /** One after the other, so that thousands of them hold up nothing else. */
  async #askAll(): Promise<void> {
    for (const [response, request] of [...this.#held]) {
      if (!(await mayStay(askerOf(request)))) endStream(response);
    }
  }

  #drop(response: ServerResponse): void {
    this.#held.delete(response);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
