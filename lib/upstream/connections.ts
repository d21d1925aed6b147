import { buildConnector, errors, Pool } from 'undici';

/** The connections to one service. */
export type Connections = {
  /** Kept open and used again. */
  kept: Pool;
  /** A new connection for each request, closed after it: for streams, and for a second try. */
  fresh: Pool;
  /** True when the error is the end of a connection that had already carried an answer. */
  diedAfterUse(error: Error): boolean;
  close(): Promise<void>;
};

/** Calls under way at once, per service; more wait in the pool, inside their own time-out. */
const MAX_KEPT = 32;

/** Nothing connects before the first call. `origin` is scheme, host and port. */
export function createConnections(origin: string, connectMs: number): Connections {
  const endedAfterUse = new WeakSet<Error>();
  const connector = buildConnector({ timeout: connectMs });
  const connect: buildConnector.connector = (options, done) =>
    connector(options, (...[error, socket]) => {
      if (error) return done(error, null);
      socket.on('error', (reason: Error) => {
        if (socket.bytesRead > 0) endedAfterUse.add(reason);
      });
      return done(null, socket);
    });
  // Our own time-outs cover headers and body; undici's would only count the silence between two chunks.
  const shared = { connect, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Pool(origin, { ...shared, connections: MAX_KEPT });
  const fresh = new Pool(origin, { ...shared, pipelining: 0 });
  return {
    kept,
    fresh,
    diedAfterUse(error) {
      if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
      return endedAfterUse.has(error);
    },
    async close() {
      await Promise.all([kept.destroy(), fresh.destroy()]);
    },
  };
}
