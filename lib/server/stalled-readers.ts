import 'server-only';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Somebody who takes nothing of what waits for him for so long has gone; his answer would stay in memory. */
const STALLED_MS = 60_000;

/**
 * Cuts off who does not read his answer. An answer that takes long to make is waited for: nothing of it waits to be read.
 * Must be told of each request.
 */
export class StalledReaders {
  readonly #answering = new WeakMap<Socket, number>();

  constructor(
    server: Server,
    private readonly stalledMs = STALLED_MS,
  ) {
    server.setTimeout(stalledMs, (socket) => {
      // A kept connection without a request times out here as well, after the time that Node keeps it.
      if (!this.#answering.get(socket) || socket.writableLength > 0) socket.destroy();
    });
  }

  watch({ socket }: IncomingMessage, response: ServerResponse): void {
    // Node gives a connection its time-out as it comes: those of the first moment of a start have none.
    if (!socket.timeout) socket.setTimeout(this.stalledMs);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    response.once('close', () => this.#answering.set(socket, (this.#answering.get(socket) ?? 1) - 1));
  }
}
