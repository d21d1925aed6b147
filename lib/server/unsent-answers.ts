import 'server-only';
import type { Server, ServerResponse } from 'node:http';

/**
 * Keeps Node from cutting off who is still reading. To Node a connection is idle as soon as its answer has been written,
 * though much of it may wait for a slow reader: closing idle ones, by the server's own end too, would cut it in the middle.
 * So idle ones stay until everything that was written is sent; whoever wants them closed has to ask again. Must be told
 * of each request.
 */
export class UnsentAnswers {
  readonly #open = new Set<ServerResponse>();

  constructor(server: Server) {
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => {
      if (!this.#isAnyUnsent()) closeIdle();
    };
  }

  watch(response: ServerResponse): void {
    // Its end has been told already: the caller left before he was told of.
    if (response.destroyed) return;
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
  }

  #isAnyUnsent(): boolean {
    for (const response of this.#open) if (response.writableEnded && !response.destroyed) return true;
    return false;
  }
}
