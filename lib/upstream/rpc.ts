import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { MINUTE_MS } from '@/lib/core/time';
import type { HttpService } from './http-service';
import { isJsonObject, parseJsonBody } from './json-body';
import type { CallPriority } from './rate-limiter';
import { plainErrorText } from './service-failure';

export type RpcRequest = { method: string; params: readonly unknown[] };

/** An unchecked answer. `nodeMessage` is one line of plain text. `data` is that of a reverted call, hex with `0x`. */
export type RpcAnswer =
  | { ok: true; value: unknown }
  | { ok: false; code?: number; nodeMessage: string; data?: string };

/** One URL of `RPC_URLS`. Its path and query may contain a key, so only `host` (with its port) is ever shown. */
export type RpcEndpoint = {
  networkId: string;
  host: string;
  http: HttpService;
  /** One HTTP call, or one per query if the node takes no batches. A node of another chain is refused. */
  call(requests: readonly RpcRequest[], priority: CallPriority): Promise<Outcome<RpcAnswer[]>>;
  /** One line, at most 500 characters, without the key of the URL. */
  plain(text: string): string;
};

/** Far above a page of logs. A larger answer is not read to the end. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Time for which a node that refused a batch is sent single calls. */
const BATCH_RETRY_MS = 10 * MINUTE_MS;

const CHAIN_ID: RpcRequest = { method: 'eth_chainId', params: [] };

const secretOf = (target: string) => (target.length > 1 ? target : undefined);

/** Calls of two URLs are told apart without their secrets. */
let endpoints = 0;

/** Reads a body for the chain of its node; undefined if it is the right one. */
type ChainCheck = (first: unknown) => Failure | 'untold' | undefined;

function jsonRpcPost(http: HttpService, target: string) {
  endpoints += 1;
  const part = String(endpoints);
  const [path = '/', ...query] = target.split('?');
  return (
    body: unknown,
    priority: CallPriority,
    read: (json: unknown) => readonly unknown[] | undefined,
    problem: string,
    chainOf?: ChainCheck,
  ) =>
    http.call({
      method: 'POST',
      path,
      query: query.join('?'),
      route: 'rpc',
      ...(chainOf && { part }),
      secret: secretOf(target),
      body: JSON.stringify(body),
      priority,
      maxBytes: MAX_BYTES,
      check: (text) => {
        const json = parseJsonBody(text);
        if (!json.ok) return { ok: false, problem: json.problem };
        const answers = read(json.value);
        if (answers === undefined) return { ok: false, problem };
        if (isRateLimit(answers[0])) return { ok: false, isRateLimited: true };
        const chain = chainOf?.(answers[0]);
        if (chain !== undefined && chain !== 'untold') return { ok: false, failure: chain };
        return { ok: true, text: json.text, isUntold: chain === 'untold' };
      },
    });
}

type CallSingle = (request: RpcRequest, priority: CallPriority) => Promise<Outcome<RpcAnswer>>;

function singleCaller(
  post: ReturnType<typeof jsonRpcPost>,
  plain: RpcEndpoint['plain'],
  chainFailure: (answer: RpcAnswer) => Failure | undefined,
): CallSingle {
  const readSingle = (json: unknown) => {
    const single = singleOf(json);
    return single && [single];
  };
  return async (request, priority) => {
    const body = { jsonrpc: '2.0', id: 0, ...request };
    const chainOf = (single: unknown) => chainFailure(readAnswer(single, plain));
    const check = request === CHAIN_ID ? chainOf : undefined;
    const answer = await post(body, priority, readSingle, 'it is no answer of JSON-RPC', check);
    if (answer.ok) return ok(readAnswer(singleOf(JSON.parse(answer.value.text)), plain));
    // The node works, but refuses this query.
    const { kind, detail } = answer.failure;
    return kind === 'rejected' ? ok({ ok: false, nodeMessage: detail }) : answer;
  };
}

/**
 * Undefined if the node does not report its chain in a single call either. A rate limit is a failure.
 */
async function callSingly(
  requests: readonly RpcRequest[],
  priority: CallPriority,
  callSingle: CallSingle,
): Promise<Outcome<RpcAnswer[]> | undefined> {
  const chain = await callSingle(CHAIN_ID, priority);
  if (!chain.ok) return ['rate-limited', 'wrong-chain'].includes(chain.failure.kind) ? chain : undefined;
  if (!chain.value.ok) return undefined;
  const answers = await Promise.all(requests.map((request) => callSingle(request, priority)));
  const failure = answers.find((answer) => !answer.ok);
  if (failure !== undefined && !failure.ok) return failure;
  return ok(answers.flatMap((answer) => (answer.ok ? [answer.value] : [])));
}

/** @param target path and query of the URL, such as `/v2/<key>`; secret */
export function createRpcEndpoint(http: HttpService, networkId: string, target: string): RpcEndpoint {
  const { host } = new URL(http.address.origin);
  const plain = (text: string) => plainErrorText(text, '', secretOf(target));
  const chainFailure = (answer: RpcAnswer | undefined): Failure | undefined => {
    const problem = chainProblem(answer, networkId);
    return problem && { kind: problem.kind, service: 'rpc', detail: `RPC ${host} ${problem.text}` };
  };
  const post = jsonRpcPost(http, target);
  const callSingle = singleCaller(post, plain, chainFailure);
  let singlyUntil = Number.NEGATIVE_INFINITY;

  const checked = (answers: RpcAnswer[]): Outcome<RpcAnswer[]> => {
    const failure = chainFailure(answers[0]);
    return failure === undefined ? ok(answers.slice(1)) : failed(failure);
  };

  const call = async (
    requests: readonly RpcRequest[],
    priority: CallPriority,
  ): Promise<Outcome<RpcAnswer[]>> => {
    if (performance.now() < singlyUntil) {
      const answers = await callSingly(requests, priority, callSingle);
      if (answers !== undefined) return answers;
      singlyUntil = Number.NEGATIVE_INFINITY;
    }
    const batch = [CHAIN_ID, ...requests];
    const body = batch.map((request, id) => ({ jsonrpc: '2.0', id, ...request }));
    const readBatch = (json: unknown) => batchOf(json, batch.length);
    // An error in place of the chain may refuse the batch as a whole.
    const chainOf = (first: unknown) => {
      const chain = readAnswer(first, plain);
      return chain.ok ? chainFailure(chain) : 'untold';
    };
    const answer = await post(body, priority, readBatch, 'it is no answer to a batch of JSON-RPC', chainOf);
    const read = answer.ok ? readBatch(JSON.parse(answer.value.text)) : undefined;
    const answers = read?.map((item) => readAnswer(item, plain)) ?? [];
    const isRefused = answer.ok ? !answers[0]?.ok : mayRefuseBatch(answer.failure);
    const singly = isRefused ? await callSingly(requests, priority, callSingle) : undefined;
    if (singly?.ok) singlyUntil = performance.now() + BATCH_RETRY_MS;
    return singly ?? (answer.ok ? checked(answers) : answer);
  };
  return { networkId, host, http, call, plain };
}

/** Further statuses by which a node that takes only single calls may refuse a batch. */
const REFUSED_BATCH = [403, 500, 501];

function mayRefuseBatch({ kind, upstreamStatus }: Failure): boolean {
  if (upstreamStatus === undefined) return kind === 'malformed';
  return kind === 'rejected' || REFUSED_BATCH.includes(upstreamStatus);
}

/**
 * Results in the order of the queries; undefined if not JSON-RPC. A single error in place of a list refuses all
 * queries.
 */
function batchOf(json: unknown, length: number): unknown[] | undefined {
  if (!Array.isArray(json)) {
    const single = singleOf(json);
    return single === undefined
      ? undefined
      : Array<unknown>(length).fill('error' in single ? single : undefined);
  }
  const byId = new Map<unknown, unknown>();
  for (const answer of json) if (isJsonObject(answer)) byId.set(answer.id, answer);
  return Array.from({ length }, (_, id) => byId.get(id));
}

function singleOf(json: unknown): Record<string, unknown> | undefined {
  return isJsonObject(json) && ('result' in json || 'error' in json) ? json : undefined;
}

/** Code for an exceeded limit in EIP-1474. Some nodes use it for limits other than the rate. */
const LIMIT_EXCEEDED = -32_005;
const RATE_LIMIT_WORDS = /rate.?limit|too many requests|requests? limit|requests? per|per second/i;
const OTHER_LIMIT_WORDS = /batch|block|result|range/i;

/** The HTTP status may be 200 all the same. */
function isRateLimit(answer: unknown): boolean {
  if (!isJsonObject(answer) || !isJsonObject(answer.error)) return false;
  const { code, message } = answer.error;
  const nodeMessage = typeof message === 'string' ? message : '';
  if (code === 429) return true;
  return (
    !OTHER_LIMIT_WORDS.test(nodeMessage) && (code === LIMIT_EXCEEDED || RATE_LIMIT_WORDS.test(nodeMessage))
  );
}

const NO_ANSWER: RpcAnswer = { ok: false, nodeMessage: 'no answer to this question' };

function readAnswer(answer: unknown, plain: (text: string) => string): RpcAnswer {
  if (!isJsonObject(answer)) return NO_ANSWER;
  const { error } = answer;
  if (error === undefined || error === null) {
    return 'result' in answer ? { ok: true, value: answer.result } : NO_ANSWER;
  }
  const { code, message, data } = isJsonObject(error) ? error : {};
  const nodeMessage = plain(typeof message === 'string' ? message : '') || 'an error without words';
  const returned = revertData(data);
  return {
    ok: false,
    nodeMessage,
    ...(Number.isSafeInteger(code) ? { code: code as number } : {}),
    ...(returned === undefined ? {} : { data: returned }),
  };
}

/** Nodes send return data as `data` itself, in an object there, or after a word such as `Reverted`. */
function revertData(data: unknown): string | undefined {
  const text = isJsonObject(data) ? data.data : data;
  return typeof text === 'string' ? /^(?:\w+ )?(0x(?:[0-9a-f]{2})*)$/i.exec(text)?.[1] : undefined;
}

type ChainProblem = { kind: 'malformed' | 'wrong-chain'; text: string };

/** Set if a node must not be used. `text` follows its host. @param answer to `eth_chainId` */
function chainProblem(answer: RpcAnswer | undefined, networkId: string): ChainProblem | undefined {
  if (answer === undefined || !answer.ok) {
    const nodeMessage = answer?.nodeMessage ?? 'no answer';
    return { kind: 'malformed', text: `does not report its chain id: ${nodeMessage}.` };
  }
  const { value } = answer;
  const isId = typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
  if (!isId) return { kind: 'malformed', text: 'does not report its chain id.' };
  const chainId = String(BigInt(value));
  if (chainId === networkId) return undefined;
  const text = `is of chain ${chainId}, not of ${networkId}: it is not used. Check RPC_URLS.`;
  return { kind: 'wrong-chain', text };
}
