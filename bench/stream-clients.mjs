import { connect } from 'node:net';

/**
 * Very many readers of one event stream in one process: bare sockets that look at the first bytes of each chunk and skip
 * the rest, so that what is measured is the server and not its readers. Both servers write one event as one chunk.
 * Told what to do by messages of its parent: {do: 'open', url, count}, {do: 'count'}, {do: 'report'}, {do: 'close'}.
 */
const CONNECTING_AT_ONCE = 64;
/** What of a chunk is looked at: it holds the id and the name of the event. */
const HEAD_BYTES = 72;
const EVENT = /^id: ([^.\s]+)\.(\d+)\nevent: (\w+)\n/;

const nowMs = () => performance.timeOrigin + performance.now();

let clients = [];
let counting = false;
/** By number of the update: when it came, unix ms, once for each client that got it. */
let arrivals = new Map();

class Client {
  /** Updates that a client of this number should have had and had not, or had twice. */
  wrong = 0;
  seq;
  #head = '';
  #begun = false;
  #line = '';
  #left = 0;
  #seen = '';
  #opened;

  constructor(url) {
    const { hostname, port, pathname, search } = new URL(url);
    this.opened = new Promise((resolve, reject) => {
      this.#opened = resolve;
      this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
      this.socket.on('connect', () =>
        this.socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`),
      );
      this.socket.on('data', (bytes) => this.#take(bytes));
      this.socket.on('error', reject);
      this.socket.on('close', () => reject(new Error(`closed after ${this.#head.slice(0, 200)}`)));
    });
  }

  get live() {
    return !this.socket.destroyed && this.socket.readyState === 'open';
  }

  #take(bytes) {
    let at = this.#begun ? 0 : this.#begin(bytes);
    while (at < bytes.length) {
      if (this.#left > 0) at = this.#skip(bytes, at);
      else {
        const end = bytes.indexOf(10, at);
        this.#line += bytes.latin1Slice(at, end < 0 ? bytes.length : end);
        if (end < 0) return;
        // The chunk and the line end behind it.
        this.#left = Number.parseInt(this.#line, 16) + 2;
        this.#line = '';
        this.#seen = '';
        at = end + 1;
      }
    }
  }

  /** Gives where the body begins; the end of these bytes when it doesn't yet. */
  #begin(bytes) {
    this.#head += bytes.latin1Slice(0, bytes.length);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return bytes.length;
    if (!this.#head.startsWith('HTTP/1.1 200')) this.socket.destroy();
    this.#begun = true;
    return bytes.length - (this.#head.length - end - 4);
  }

  #skip(bytes, at) {
    const end = Math.min(bytes.length, at + this.#left);
    const wanted = HEAD_BYTES - this.#seen.length;
    if (wanted > 0) this.#seen += bytes.latin1Slice(at, Math.min(end, at + wanted));
    this.#left -= end - at;
    if (this.#left === 0) this.#event();
    return end;
  }

  #event() {
    const [, , digits, name] = EVENT.exec(this.#seen) ?? [];
    if (name === 'snapshot') this.#opened(true);
    if (name !== 'update') return;
    const seq = Number(digits);
    if (this.seq !== undefined && seq !== this.seq + 1) this.wrong += Math.max(1, seq - this.seq - 1);
    this.seq = seq;
    if (!counting) return;
    const times = arrivals.get(seq);
    if (times) times.push(nowMs());
    else arrivals.set(seq, [nowMs()]);
  }
}

async function open({ url, count }) {
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const client = new Client(url);
      clients.push(client);
      await client.opened;
      client.opened.catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, one));
  return clients.length;
}

function report() {
  counting = false;
  return {
    arrivals: [...arrivals].map(([seq, times]) => ({ seq, times })),
    wrong: clients.reduce((sum, { wrong }) => sum + wrong, 0),
    live: clients.filter(({ live }) => live).length,
  };
}

async function close() {
  const closed = clients.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
  for (const { socket } of clients) socket.destroy();
  await Promise.all(closed);
  clients = [];
}

function count() {
  arrivals = new Map();
  counting = true;
}

const orders = { open, report, close, count };
process.on('message', async (order) => {
  try {
    process.send({ done: await orders[order.do](order) });
  } catch (error) {
    process.send({ failed: String(error) });
  }
});
