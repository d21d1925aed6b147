import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { HttpService } from './http-service';
import { isJsonObject, parseJsonBody } from './json-body';
import type { CallPriority } from './rate-limiter';
import { plainErrorText } from './service-failure';

/** One query of a batch: a read-only JSON-RPC method with its parameters. */
export type RpcQuestion = { method: string; params: readonly unknown[] };

/**
 * A node's answer to one query, unchecked. `said`: the node's error message as one line of plain text. `data`: return
 * data of a reverted call, hex digits with `0x`.
 */
export type RpcAnswer =
  | { ok: true; value: unknown }
  | { ok: false; code?: number; said: string; data?: string };

/** One URL of `RPC_URLS`. Its path and query may contain a key; only `host` (with its port) is ever shown. */
export type RpcEndpoint = {
  networkId: string;
  host: string;
  http: HttpService;
  /** Sends all queries in one HTTP call. A node of another chain is refused, whatever it answers. */
  ask(questions: readonly RpcQuestion[], priority: CallPriority): Promise<Outcome<RpcAnswer[]>>;
  /** Makes a text of the node safe to show: one line, at most 500 characters, without the key of the URL. */
  plain(text: string): string;
};

/** Byte cap, far above a page of logs. A larger answer is not read to the end. */
const MAX_BYTES = 4 * 1024 * 1024;

/** @param target path and query of the URL, such as `/v2/<key>`; secret */
export function createRpcEndpoint(http: HttpService, networkId: string, target: string): RpcEndpoint {
  const { host } = new URL(http.address.origin);
  const secret = target.length > 1 ? target : undefined;
  const [path = '/', ...query] = target.split('?');
  const plain = (text: string) => plainErrorText(text, '', secret);
  const ask = async (questions: readonly RpcQuestion[], priority: CallPriority) => {
    const batch = [{ method: 'eth_chainId', params: [] }, ...questions];
    const body = JSON.stringify(batch.map((question, id) => ({ jsonrpc: '2.0', id, ...question })));
    const answer = await http.call({
      method: 'POST',
      path,
      query: query.join('?'),
      route: 'rpc',
      secret,
      body,
      priority,
      maxBytes: MAX_BYTES,
      check: (text) => {
        const read = readBatch(text, batch.length);
        return typeof read === 'string' ? { ok: false, problem: read } : { ok: true, text };
      },
    });
    if (!answer.ok) return answer;
    const read = readBatch(answer.value.text, batch.length);
    const answers = typeof read === 'string' ? [] : read.map((one) => readAnswer(one, plain));
    const problem = chainProblem(answers[0], networkId);
    if (problem === undefined) return ok(answers.slice(1));
    return failed<RpcAnswer[]>({ kind: 'rejected', service: 'rpc', detail: `RPC ${host} ${problem}` });
  };
  return { networkId, host, http, ask, plain };
}

/**
 * The answers of a batch in the order of its queries, or the reason why it is unreadable. A single error in place of
 * the list refuses the whole batch, so it is the answer to every query.
 */
function readBatch(body: string, length: number): unknown[] | string {
  const json = parseJsonBody(body);
  if (!json.ok) return json.problem;
  const { value } = json;
  if (isJsonObject(value) && value.error !== undefined) return Array<unknown>(length).fill(value);
  if (!Array.isArray(value)) return 'it is no answer to a batch of JSON-RPC';
  const byId = new Map<unknown, unknown>();
  for (const one of value) if (isJsonObject(one)) byId.set(one.id, one);
  return Array.from({ length }, (_, id) => byId.get(id));
}

const NO_ANSWER: RpcAnswer = { ok: false, said: 'no answer to this question' };

function readAnswer(answer: unknown, plain: (text: string) => string): RpcAnswer {
  if (!isJsonObject(answer)) return NO_ANSWER;
  const { error } = answer;
  if (error === undefined || error === null) {
    return 'result' in answer ? { ok: true, value: answer.result } : NO_ANSWER;
  }
  const { code, message, data } = isJsonObject(error) ? error : {};
  const said = plain(typeof message === 'string' ? message : '') || 'an error without words';
  const returned = revertData(data);
  return {
    ok: false,
    said,
    ...(Number.isSafeInteger(code) ? { code: code as number } : {}),
    ...(returned === undefined ? {} : { data: returned }),
  };
}

/** Return data of a revert. Nodes send it as `data` itself, in an object there, or after a word such as `Reverted`. */
function revertData(data: unknown): string | undefined {
  const text = isJsonObject(data) ? data.data : data;
  return typeof text === 'string' ? /^(?:\w+ )?(0x(?:[0-9a-f]{2})*)$/i.exec(text)?.[1] : undefined;
}

/** The reason why a node must not be used for a network, to follow its host. @param answer to `eth_chainId` */
function chainProblem(answer: RpcAnswer | undefined, networkId: string): string | undefined {
  if (answer === undefined || !answer.ok) {
    return `does not say which chain it is of: ${answer?.said ?? 'no answer'}.`;
  }
  const { value } = answer;
  const isId = typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
  if (!isId) return 'does not say which chain it is of.';
  const chainId = String(BigInt(value));
  if (chainId === networkId) return undefined;
  return `is of chain ${chainId}, not of ${networkId}: it is not used. Check RPC_URLS.`;
}
