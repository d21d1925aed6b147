import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from 'viem';
import { encodeAbiParameters } from 'viem/utils';

/** A scripted node with the calls that it received. */

export type NodeAnswers = Record<string, (params: readonly unknown[]) => unknown>;
type RpcRequest = { id: number; method: string; params: unknown[] };

/** Becomes the error object of JSON-RPC. */
export class NodeError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const CONTRACT = `0x${'c0'.repeat(20)}` as const;
export const PROVIDER = `0x${'52'.repeat(20)}` as const;
export const SENDER = `0x${'cd'.repeat(20)}` as const;
export const TX = `0x${'ab'.repeat(32)}` as const;
export const USER_NUMBER = `0x${'11'.repeat(32)}` as const;
export const SEQUENCE = 77n;
export const REQUEST_BLOCK = 34_000_000;

const ZERO_WORD = `0x${'0'.repeat(64)}` as const;
const ZERO = `0x${'0'.repeat(40)}` as const;
const HEAD = '0x206cd00';

/** A static tuple: every member takes one word. */
function words(types: readonly string[], values: readonly unknown[]): Hex {
  return encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  );
}

const REQUEST = ['address', 'uint64', 'uint32', 'bytes32', 'uint64', 'address', 'bool', 'uint8'];

/** `getRequestV2` of an open request. With `status` 3, its callback failed. */
export const openRequest = (status = 1, numHashes = 5) =>
  words(
    [...REQUEST, 'uint16'],
    [PROVIDER, SEQUENCE, numHashes, ZERO_WORD, BigInt(REQUEST_BLOCK), SENDER, false, status, 50],
  );
export const noRequest = words([...REQUEST, 'uint16'], [ZERO, 0n, 0, ZERO_WORD, 0n, ZERO, false, 0, 0]);

/** `getProviderInfoV2`: the offset of its dynamic tuple, then the tuple. */
export const provider = (next: bigint, end: bigint, maxNumHashes = 500) =>
  `${words(['uint256'], [32n])}${words(
    [
      ...(['uint128', 'uint128', 'bytes32', 'uint64', 'bytes', 'bytes', 'uint64', 'uint64'] as const),
      ...(['bytes32', 'uint64', 'address', 'uint32', 'uint32'] as const),
    ],
    [1n, 2n, ZERO_WORD, 1n, '0x', '0x', end, next, ZERO_WORD, next - 1n, ZERO, maxNumHashes, 500_000],
  ).slice(2)}` as Hex;

/** `getRequest` of an older contract for an open request. */
export const olderRequest = words(
  [...REQUEST.slice(0, 7), 'bool'],
  [PROVIDER, SEQUENCE, 5, ZERO_WORD, BigInt(REQUEST_BLOCK), SENDER, false, true],
);
export const noOlderRequest = words(
  [...REQUEST.slice(0, 7), 'bool'],
  [ZERO, 0n, 0, ZERO_WORD, 0n, ZERO, false, false],
);

/**
 * keccak256 of
 * RevealedWithCallback((address,uint64,uint32,bytes32,uint64,address,bool,bool),bytes32,bytes32,bytes32).
 */
export const REVEALED_WITH_CALLBACK = '0x40be225f151772416d8785647e5641a0b53507623d0ee3fb88802b7d6bdbf728';

/** A reveal by an older contract, whose event has no indexed members. */
export function olderReveal(sequence: bigint, tx: string) {
  const request = [PROVIDER, sequence, 5, ZERO_WORD, BigInt(REQUEST_BLOCK), SENDER, false, true];
  return {
    topics: [REVEALED_WITH_CALLBACK],
    data: words(
      [...REQUEST.slice(0, 7), 'bool', 'bytes32', 'bytes32', 'bytes32'],
      [...request, USER_NUMBER, ZERO_WORD, ZERO_WORD],
    ),
    blockNumber: `0x${(REQUEST_BLOCK + 5).toString(16)}`,
    transactionHash: tx,
  };
}

/** A contract with only the functions and events without V2. Without a `reveal`, the request is open. */
export function olderNode(reveal?: readonly unknown[]): NodeAnswers {
  return {
    ...soundNode(),
    eth_call: ([call]) => {
      const selector = (call as { data: string }).data.slice(0, 10);
      if (selector === GET_REQUEST) return reveal === undefined ? olderRequest : noOlderRequest;
      if (selector === REVEAL_WITH_CALLBACK || selector === ENTROPY_CALLBACK) return '0x';
      throw new NodeError(3, 'execution reverted', '0x');
    },
    eth_getLogs: ([filter]) => {
      const [events] = (filter as { topics: [string[]] }).topics;
      return events.includes(REVEALED_WITH_CALLBACK) ? (reveal ?? []) : [];
    },
  };
}

/** Selectors. */
export const REVEAL_WITH_CALLBACK = '0x3d30bc0e';
export const ENTROPY_CALLBACK = '0x52a5f1f8';
const GET_REQUEST = '0x6151ab1f';
const PROVIDER_INFO = '0x2f9b787b';
const GET_REQUEST_V2 = '0x754a3600';

/** The request is mined and open. */
export function soundNode(chainId = 8453): NodeAnswers {
  return {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: () => ({
      number: HEAD,
      timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}`,
    }),
    eth_getCode: () => '0x60806040',
    eth_getTransactionReceipt: () => ({
      blockNumber: '0x206cc80',
      from: SENDER,
      status: '0x1',
      gasUsed: '0x5208',
    }),
    eth_getTransactionByHash: () => ({ blockNumber: '0x206cc80' }),
    eth_getLogs: () => [],
    eth_estimateGas: () => '0x30d40',
    eth_call: ([call]) => returnOf((call as { data: string }).data),
  };
}

/** The result of a call, by its selector. */
export function returnOf(data: string, request: Hex = openRequest()): Hex {
  const selector = data.slice(0, 10);
  if (selector === GET_REQUEST_V2) return request;
  return selector === PROVIDER_INFO ? provider(90n, 1000n) : '0x';
}

export type TestNode = {
  origin: string;
  /** The HTTP calls, in order. */
  calls: { url: string; methods: string[] }[];
  answers: NodeAnswers;
  /** Node's clock minus ours, in both its blocks and its answers. */
  aheadMs: number;
  /** Called in place of every answer to a batch. */
  rawBatch: ((response: ServerResponse) => void) | undefined;
  /** Called in place of every answer. */
  raw: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  stop(): Promise<void>;
};

export async function startNode(answers: NodeAnswers = soundNode()): Promise<TestNode> {
  const node: TestNode = {
    origin: '',
    calls: [],
    answers,
    aheadMs: 0,
    rawBatch: undefined,
    raw: undefined,
    stop: () => Promise.resolve(),
  };
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const batch: RpcRequest | RpcRequest[] = JSON.parse(body);
    const rpcRequests = Array.isArray(batch) ? batch : [batch];
    node.calls.push({ url: request.url ?? '', methods: rpcRequests.map(({ method }) => method) });
    if (node.raw !== undefined) return node.raw(request, response);
    if (node.rawBatch !== undefined && Array.isArray(batch)) return node.rawBatch(response);
    const date = new Date(Date.now() + node.aheadMs).toUTCString();
    response.writeHead(200, { 'content-type': 'application/json', date });
    const answers = rpcRequests.map((rpcRequest) => answerTo(node.answers, rpcRequest));
    response.end(JSON.stringify(Array.isArray(batch) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node.stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return node;
}

function answerTo(answers: NodeAnswers, { id, method, params }: RpcRequest): unknown {
  try {
    const answer = answers[method];
    if (answer === undefined) throw new NodeError(-32_601, `the method ${method} does not exist`);
    return { jsonrpc: '2.0', id, result: answer(params) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}
