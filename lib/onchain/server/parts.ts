import 'server-only';
import {
  calls,
  decodeProvider,
  decodeRequest,
  decodeRequestV2,
  type RequestId,
  type StoredRequest,
} from '@/lib/onchain/contract';
import type { ChainFacts, Simulated } from '@/lib/onchain/facts';
import { readBlock, readBytes, readEvents, readQuantity, readReceipt } from '@/lib/onchain/read';
import type { RpcAnswer, RpcRequest } from '@/lib/upstream/rpc';

/** `read` takes the answers in the order of the calls. */
export type Part<T> = {
  requests: readonly RpcRequest[];
  read: (answers: readonly RpcAnswer[]) => T;
};
export type ReadOf<P> = P extends Part<infer T> ? T : never;

export const hex = (value: bigint) => `0x${value.toString(16)}`;

/** @param read returns undefined for a value of another form; an error of the node is undefined as well */
export function callPart<T>(
  method: string,
  params: readonly unknown[],
  read: (value: unknown) => T,
): Part<T | undefined> {
  return {
    requests: [{ method, params }],
    read: ([answer]) => (answer?.ok ? read(answer.value) : undefined),
  };
}

export const NOTHING: Part<undefined> = { requests: [], read: () => undefined };

export function listPart<T>(parts: readonly Part<T>[]): Part<T[]> {
  return {
    requests: parts.flatMap(({ requests }) => requests),
    read: (answers) => {
      let at = 0;
      return parts.map(({ requests, read }) => {
        const partAnswers = answers.slice(at, at + requests.length);
        at += requests.length;
        return read(partAnswers);
      });
    },
  };
}

function returnOf<T>(
  to: string,
  data: string,
  decode: (data: `0x${string}`) => T | undefined,
): Part<T | undefined> {
  return callPart('eth_call', [{ to, data }, 'latest'], (value) => {
    const bytes = readBytes(value);
    return bytes && decode(bytes);
  });
}

export const blockPart = (block: bigint) => callPart('eth_getBlockByNumber', [hex(block), false], readBlock);

export const codePart = (address: string) =>
  callPart('eth_getCode', [address, 'latest'], (value) => {
    const code = readBytes(value);
    return code === undefined ? undefined : code.length > 2;
  });

export const providerPart = (contract: string, provider: `0x${string}`) =>
  returnOf(contract, calls.getProviderInfoV2(provider), decodeProvider);

type Stored = { isOlder: boolean; request: ChainFacts['request'] };

/** The stored request by the contract's present function, or else by that of older contracts. */
export function storedPart(contract: string, id: RequestId): Part<Stored> {
  const present = returnOf(contract, calls.getRequestV2(id), decodeRequestV2);
  const older = returnOf(contract, calls.getRequest(id), decodeRequest);
  const requestOf = (stored: StoredRequest | null | undefined) => (stored === null ? 'gone' : stored);
  return {
    requests: [...present.requests, ...older.requests],
    read: (answers) => {
      const [v2, v1] = [present.read(answers.slice(0, 1)), older.read(answers.slice(1))];
      const isOlder = v2 === undefined && v1 !== undefined;
      return { isOlder, request: requestOf(isOlder ? v1 : v2) };
    },
  };
}

export function transactionPart(tx: string | undefined): Part<ChainFacts['transaction']> {
  if (tx === undefined) return NOTHING;
  return {
    requests: [
      { method: 'eth_getTransactionReceipt', params: [tx] },
      { method: 'eth_getTransactionByHash', params: [tx] },
    ],
    read: ([receipt, transaction]) => {
      const mined = receipt?.ok ? readReceipt(receipt.value) : undefined;
      if (mined !== undefined) return { kind: 'mined', ...mined };
      // Null means that the node has no such transaction; any other value that is not a receipt is
      // unreadable.
      if (!receipt?.ok || receipt.value !== null || !transaction?.ok) return undefined;
      return { kind: transaction.value === null ? 'missing' : 'waiting' };
    },
  };
}

/** Runs at the newest block but is never sent. @param call as `eth_call` takes it */
export function simulatePart(call: Readonly<Record<string, string | undefined>>): Part<Simulated> {
  return {
    requests: [
      { method: 'eth_call', params: [call, 'latest'] },
      { method: 'eth_estimateGas', params: [call] },
    ],
    read: ([run, estimate]) => {
      const ran = run?.ok === false ? simulatedError(run) : undefined;
      if (ran !== undefined) return ran;
      const gas = estimate?.ok ? readQuantity(estimate.value) : undefined;
      return gas === undefined ? { kind: 'succeeds' } : { kind: 'succeeds', gas };
    },
  };
}

/** Geth's error code. */
const REVERT_CODE = 3;

/**
 * The result of a failed simulation. Only a revert counts: a node that lacks the method, or is too busy, has not run
 * the call.
 */
function simulatedError({ code, nodeMessage, data }: Extract<RpcAnswer, { ok: false }>): Simulated {
  const isRevert =
    data !== undefined || code === REVERT_CODE || /revert|gas required|out of gas/i.test(nodeMessage);
  if (!isRevert) return { kind: 'not-simulated', why: nodeMessage };
  return data === undefined ? { kind: 'reverts', nodeMessage } : { kind: 'reverts', data, nodeMessage };
}

export type MatchingEvents = { events: ReturnType<typeof readEvents>; nodeMessage?: string };

/** @param toBlock hex, or `latest` */
export function eventsPart(
  contract: string,
  topics: readonly unknown[],
  fromBlock: bigint,
  toBlock: bigint | 'latest',
): Part<MatchingEvents> {
  const to = toBlock === 'latest' ? toBlock : hex(toBlock);
  const filter = { address: contract, topics, fromBlock: hex(fromBlock), toBlock: to };
  return {
    requests: [{ method: 'eth_getLogs', params: [filter] }],
    read: ([answer]) => {
      if (answer?.ok) return { events: readEvents(answer.value) };
      return { events: undefined, nodeMessage: answer?.nodeMessage ?? 'no answer' };
    },
  };
}

export const headPart = callPart('eth_getBlockByNumber', ['latest', false], readBlock);
