import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A connection, before anything that came over it is read. */
const CHANNEL = 'net.server.socket';

/** Where lib/server/front-door.ts finds what was held. Next bundles that, so they can share no module. */
const KEY = Symbol.for('keeperscope.early-requests');

/**
 * Next listens a moment before it starts what stands before it. Whoever asks in that moment would be answered by Next
 * alone, with every header that he forged. So his request waits here until the front door takes it. One that offers
 * another protocol does too: Next's own listener for those would leave it open for ever.
 * @param port where Next will listen
 */
export function holdEarlyRequests(port) {
  const waiting = [];
  let held;
  const onArrival = ({ socket }) => {
    if (held || socket.localPort !== port) return;
    const { server } = socket;
    held = { server, listeners: server.listeners('request') };
    server.removeAllListeners('request');
    server.removeAllListeners('upgrade');
    server.on('request', (request, response) => waiting.push([request, response]));
  };
  subscribe(CHANNEL, onArrival);
  /** Gives the server its listeners back. @returns the server and what waits, or undefined when nobody came */
  globalThis[KEY] = () => {
    unsubscribe(CHANNEL, onArrival);
    delete globalThis[KEY];
    if (!held) return undefined;
    held.server.removeAllListeners('request');
    for (const listener of held.listeners) held.server.on('request', listener);
    return { server: held.server, waiting };
  };
}
