import { createServer } from 'node:http';

/**
 * A log service with any number of rows, each computed from its index: half a per cent is pending for ever, 20 networks, 5,000
 * senders, failures with long texts, gas of 78 digits, about a kilobyte of JSON a row. New rows come at the rate of the old ones.
 * Usage: node hostile-keeper.mjs ROWS
 */
const rows = Number(process.argv[2]);
const stepMs = (30 * 86_400_000) / rows;
const startMs = Date.now() - rows * stepMs;

/** Ranges of places in each thousand rows: 5 pending, 30 failed, 50 with a failed callback. */
const SHARES = { pending: [0, 5], failed: [5, 35], callback_errored: [35, 85], completed: [85, 1000] };
const placeOf = (i) => ((i % 1000) * 389 + Math.floor(i / 1000) * 127) % 1000;
const finalState = (i) => {
  const place = placeOf(i);
  return place < 5 ? 'pending' : place < 35 ? 'failed' : place < 85 ? 'callback_errored' : 'completed';
};

const createdMs = (i) => Math.floor(startMs + i * stepMs);
const latencyMs = (i) => 1500 + ((i * 7919) % 9000) + (i % 97 === 0 ? 60_000 : 0);
const MAX_LATENCY_MS = 71_000;
const stateAt = (i, nowMs) => (nowMs - createdMs(i) < latencyMs(i) ? 'pending' : finalState(i));
const countNow = (nowMs) => Math.floor((nowMs - startMs) / stepMs);

function hex(i, kind, length) {
  let text = '';
  let x = (Math.imul(i, 0x9e3779b1) ^ Math.imul(kind + 1, 0x85ebca6b)) >>> 0;
  while (text.length < length) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) >>> 0;
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39) >>> 0;
    x = (x ^ (x >>> 15)) >>> 0;
    text += x.toString(16).padStart(8, '0');
    x = (x + i + kind) >>> 0;
  }
  return text.slice(0, length);
}

const MAX_UINT256 = String(2n ** 256n - 1n);
/** Ids of real networks, so that pages can name most of them. */
const NETWORKS = [
  8453, 42161, 2741, 33139, 146, 80094, 10, 81457, 1329, 130, 143, 999, 84532, 421614, 10143, 11155420, 1301,
  11124, 57073, 1_000_007,
];
const SELECTORS = ['0x1c26714c', '0x82b42900', '0xc4237352', '0x025dbdd4', '0x'];

function reasonOf(i) {
  const kinds = [
    `Error submitting the reveal: insufficient funds for gas * price + value: balance ${i}, tx cost ${i * 31}`,
    `Transaction 0x${hex(i, 6, 64)} was never confirmed after ${i % 900} s: ${'the node did not answer; '.repeat(20)}`,
    `Reverted: 0x08c379a0${hex(i % 50, 7, 128)}`,
    `\u202e<script>alert(${i % 7})</script> ${'long '.repeat(120)}`,
    `Error making RPC call: (code: -32000, message: header not found, data: None) at block ${i}`,
  ];
  return kinds[i % kinds.length];
}

function rowText(i, nowMs) {
  const network = i % 20;
  const state = stateAt(i, nowMs);
  const created = createdMs(i);
  const updated = state === 'pending' ? created : created + latencyMs(i);
  const record = {
    chain_id: `network-${network}`,
    network_id: String(NETWORKS[network]),
    created_at: new Date(created).toISOString(),
    last_updated_at: new Date(updated).toISOString(),
    gas_limit: String(100_000 + (i % 9) * 50_000),
    provider: `0x${hex(network % 2, 1, 40)}`,
    sender: `0x${hex(Math.floor((i * i) % 5000), 2, 40)}`,
    request_block_number: 10_000_000 + i,
    request_tx_hash: `0x${hex(i, 3, 64)}`,
    sequence: Math.floor(i / 20) + 1,
    state: { state: 'pending' },
    user_random_number: hex(i, 4, 64),
    note: hex(i, 5, 160),
  };
  if (state === 'failed')
    record.state = { state, reason: reasonOf(i), provider_random_number: hex(i, 8, 64) };
  if (state === 'completed' || state === 'callback_errored') {
    const failed = state === 'callback_errored';
    record.state = {
      state: 'completed',
      reveal_block_number: 10_000_001 + i,
      reveal_tx_hash: `0x${hex(i, 9, 64)}`,
      provider_random_number: hex(i, 8, 64),
      gas_used: i % 400 === 7 ? MAX_UINT256 : String(90_000 + (i % 50_000)),
      combined_random_number: hex(i, 10, 64),
      callback_failed: failed,
      callback_return_value: failed
        ? SELECTORS[i % SELECTORS.length] + (i % 5 === 4 ? '' : hex(i, 11, 320))
        : '0x',
      callback_gas_used: String(30_000 + (i % 70_000)),
    };
  }
  return JSON.stringify(record);
}

/** Counts rows from `from` to `to`, both inclusive; settled thousands are counted at once. */
function countOf(state, from, to, nowMs) {
  const settled = Math.min(to, countNow(nowMs - MAX_LATENCY_MS) - 2);
  let count = 0;
  let i = from;
  const [low, high] = SHARES[state];
  while (i <= to) {
    if (i % 1000 === 0 && i + 999 <= settled) {
      count += high - low;
      i += 1000;
    } else {
      if (stateAt(i, nowMs) === state) count += 1;
      i += 1;
    }
  }
  return count;
}

const STATES = {
  pending: 'pending',
  failed: 'failed',
  completed: 'completed',
  callbackerrored: 'callback_errored',
  callback_errored: 'callback_errored',
};

function answer(url) {
  const { searchParams: params } = new URL(url, 'http://x');
  const nowMs = Date.now();
  const minMs = params.has('min_timestamp') ? Date.parse(params.get('min_timestamp')) : -Infinity;
  const maxMs = params.has('max_timestamp') ? Date.parse(params.get('max_timestamp')) : Infinity;
  const limit = Number(params.get('limit') ?? 1000);
  const offset = Number(params.get('offset') ?? 0);
  const state = params.has('state') ? STATES[params.get('state').toLowerCase()] : undefined;
  const last = countNow(nowMs) - 1;
  let from = Math.max(0, Math.floor((minMs - startMs) / stepMs) - 2);
  let to = Math.min(last, Math.ceil((maxMs - startMs) / stepMs) + 2);
  while (from <= to && createdMs(from) < minMs) from += 1;
  while (to >= from && createdMs(to) > maxMs) to -= 1;
  if (from > to) return '{"requests":[],"total_results":0}';
  const texts = [];
  let skipped = state === undefined ? offset : 0;
  for (let i = state === undefined ? to - offset : to; i >= from && texts.length < limit; i -= 1) {
    if (state !== undefined && stateAt(i, nowMs) !== state) continue;
    if (skipped++ >= offset) texts.push(rowText(i, nowMs));
  }
  const total = state === undefined ? to - from + 1 : countOf(state, from, to, nowMs);
  return `{"requests":[${texts.join()}],"total_results":${total}}`;
}

const server = createServer((request, response) => {
  const isLogs = request.url.startsWith('/v1/logs');
  response.writeHead(isLogs ? 200 : 404, { 'content-type': 'application/json' });
  response.end(isLogs ? answer(request.url) : '{}');
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
