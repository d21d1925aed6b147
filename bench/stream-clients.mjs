import { connect } from 'node:net';

/**
 * Very many readers of one event stream in one process: bare sockets that look for the heads of events and for nothing
 * else, so that what is measured is the server and not its readers. Told what to do by messages of its parent:
 * {do: 'open', url, count}, {do: 'count'}, {do: 'report'}, {do: 'close'}.
 */
const CONNECTING_AT_ONCE = 64;
const EVENT = /id: [^.\s]+\.(\d+)\nevent: (\w+)\n/g;
/** The head of an event is shorter. */
const HEAD_CHARACTERS = 80;

let sockets = [];
let counting = false;
/** Updates that a reader should have had and had not, or had twice. */
let wrong = 0;
/** By number of the update: when it came, unix ms, once for each reader that got it. */
let arrivals = new Map();

/** Over when the reader has its snapshot. */
function reader(url) {
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let rest = '';
    let last;
    socket.on('connect', () =>
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`),
    );
    socket.on('data', (bytes) => {
      const text = rest + bytes.latin1Slice(0, bytes.length);
      let end = 0;
      for (const { 0: head, 1: digits, 2: name, index } of text.matchAll(EVENT)) {
        end = index + head.length;
        if (name === 'snapshot') resolve(socket);
        if (name !== 'update') continue;
        const seq = Number(digits);
        if (last !== undefined && seq !== last + 1) wrong += Math.max(1, seq - last - 1);
        last = seq;
        if (!counting) continue;
        if (!arrivals.has(seq)) arrivals.set(seq, []);
        arrivals.get(seq).push(performance.timeOrigin + performance.now());
      }
      rest = text.slice(Math.max(end, text.length - HEAD_CHARACTERS));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the stream was closed')));
  });
}

const orders = {
  async open({ url, count }) {
    const wanted = sockets.length + count;
    const one = async () => {
      while (wanted - sockets.length >= CONNECTING_AT_ONCE) sockets.push(await reader(url));
    };
    await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, one));
    while (sockets.length < wanted) sockets.push(await reader(url));
  },
  count() {
    arrivals = new Map();
    counting = true;
  },
  report() {
    counting = false;
    return { arrivals: [...arrivals], wrong, live: sockets.filter(({ destroyed }) => !destroyed).length };
  },
  async close() {
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    sockets = [];
    wrong = 0;
  },
};
process.on('message', async (order) => {
  try {
    process.send({ done: await orders[order.do](order) });
  } catch (error) {
    process.send({ failed: String(error) });
  }
});
