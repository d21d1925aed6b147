import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAIN_ID, type SentRequest, WALLET } from './evm';

/** Rows set by the test, and unrevealed numbers. */
export type TestKeeper = {
  origin: string;
  contract: string;
  /** Pending by default; a repeated call changes the row. */
  log(request: SentRequest, members?: Record<string, unknown>): void;
  /** The host withholds contributions. */
  hidesRevelations: boolean;
  stop(): void;
};

type Row = Record<string, unknown> & {
  created_at: string;
  state: { state: string; callback_failed?: boolean };
};

const WIRE_STATES: Record<string, (row: Row) => boolean> = {
  Pending: ({ state }) => state.state === 'pending',
  Failed: ({ state }) => state.state === 'failed',
  Completed: ({ state }) => state.state === 'completed' && state.callback_failed !== true,
  CallbackErrored: ({ state }) => state.callback_failed === true,
};

export async function startKeeper(contract: string): Promise<TestKeeper> {
  const rows = new Map<string, Row>();
  const contributions = new Map<string, string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://keeper');
    const send = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/v1/chains/configs') {
      return send([{ name: 'base', network_id: CHAIN_ID, contract_addr: keeper.contract }]);
    }
    const [, sequence] = /^\/v1\/chains\/base\/revelations\/(\d+)$/.exec(pathname) ?? [];
    if (sequence !== undefined) {
      const data = keeper.hidesRevelations ? undefined : contributions.get(sequence);
      return data === undefined ? send('not available', 403) : send({ value: { encoding: 'hex', data } });
    }
    return send(listOf([...rows.values()], searchParams));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const keeper: TestKeeper = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    contract,
    hidesRevelations: false,
    log: (request, members = {}) => {
      contributions.set(String(request.sequence), request.contribution);
      const before = rows.get(request.tx);
      rows.set(request.tx, { ...rowOf(request), ...before, ...members } as Row);
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return keeper;
}

function rowOf(request: SentRequest): Row {
  const now = new Date().toISOString();
  return {
    chain_id: 'base',
    network_id: String(CHAIN_ID),
    created_at: now,
    last_updated_at: now,
    gas_limit: String(request.gasLimit),
    provider: WALLET,
    sender: request.sender,
    request_block_number: request.block,
    request_tx_hash: request.tx,
    sequence: request.sequence,
    state: { state: 'pending' },
    user_random_number: request.user,
  };
}

function listOf(rows: readonly Row[], query: URLSearchParams) {
  const timeParam = (name: string) => Date.parse(query.get(name) ?? '');
  const word = query.get('query');
  const isIn = WIRE_STATES[query.get('state') ?? ''] ?? (() => true);
  const matches = rows
    .filter(isIn)
    .filter(({ created_at }) => !(Date.parse(created_at) < timeParam('min_timestamp')))
    .filter(({ created_at }) => !(Date.parse(created_at) > timeParam('max_timestamp')))
    .filter((row) => word === null || [String(row.sequence), row.sender, row.request_tx_hash].includes(word))
    .sort((a, b) => b.created_at.localeCompare(a.created_at));
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 1000);
  return { requests: matches.slice(offset, offset + limit), total_results: matches.length };
}
