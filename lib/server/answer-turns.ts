import 'server-only';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies send none ahead. A program that sends so many is cut off: Node would keep them all. */
const MOST_WAITING = 64;

/**
 * Requests that are sent over one connection without waiting for answers (pipelining, RFC 9112, 9.3.2) are handled one
 * after the other. Node would hand them out all at once, and never say that one is over whose turn had not come when
 * its connection was closed: what is held for it, such as a place for a stream, would be held for ever.
 */
export class AnswerTurns {
  readonly #waiting = new WeakMap<Socket, number>();

  /**
   * Handles a request when those before it on its connection are answered; never, when the connection ends first. A body
   * that is sent ahead cuts its sender off: Node would keep it unread, in pieces as small as he likes.
   */
  take(socket: Socket, response: ServerResponse, hasBody: boolean, handle: () => void): void {
    // An answer has its connection as soon as it is its turn.
    if (response.socket) {
      handle();
      return;
    }
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, waiting);
    if (waiting > MOST_WAITING || hasBody) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      handle();
    });
  }
}
