import 'server-only';
import { LRUCache } from 'lru-cache';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem, problemDetails } from '@/lib/core/problem';
import { stateWord } from '@/lib/core/request-record';
import { chainAnswer, noChainAnswer } from '@/lib/onchain/chain-answer';
import type { ChainQuery } from '@/lib/onchain/facts';
import type { Onchain } from '@/lib/onchain/onchain-response';
import { readBytes } from '@/lib/onchain/read';
import { processWideOf } from '@/lib/platform/process-wide';
import { completion } from '@/lib/requests/column-schema';
import { wordDigits } from '@/lib/requests/random-number';
import {
  fittingRows,
  type RequestLocator,
  readLocator,
  unsignedDigits,
} from '@/lib/requests/request-address';
import { type ListedRecord, readRequestAnswer } from '@/lib/requests/requests-response';
import { lookUpRequest } from '@/lib/requests/server/request';
import { randomnessContract } from '@/lib/services/network-directory';
import { nodeBehindMs, type Services, services } from '@/lib/services/services';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import { chainStates } from './network-watch';
import { queryChain } from './query-chain';

/** Shared by all viewers. */
const CACHE_TTL_MS = 15_000;
/** Age of an answer that a viewer explicitly requests. */
const FRESH_MS = 2000;
const MAX_ANSWERS = 500;

type QueryContext = { record: ListedRecord; priority: CallPriority };
type Cached = { answer: Onchain; queriedAt: number };

/** Concurrent queries about a request share one call. */
const answersOf = processWideOf(
  'onchain-answers',
  (deps: Services) =>
    new LRUCache<string, Cached, QueryContext>({
      max: MAX_ANSWERS,
      ttl: CACHE_TTL_MS,
      fetchMethod: async (_key, _before, { context }) => {
        return { answer: await queryChainOfRequest(deps, context), queriedAt: performance.now() };
      },
    }),
);

type Options = { isFresh?: boolean; priority?: CallPriority; deps?: Services };

/** @param isFresh allows no answer older than 2 s */
export async function onchainOf(
  record: ListedRecord,
  { isFresh = false, priority = 'user', deps = services() }: Options = {},
): Promise<Onchain> {
  const answers = answersOf(deps);
  const key = `${record.key} ${stateWord(record.state)}`;
  const cached = answers.peek(key);
  const forceRefresh = isFresh && cached !== undefined && performance.now() - cached.queriedAt >= FRESH_MS;
  const entry = await answers.fetch(key, { context: { record, priority }, forceRefresh });
  if (entry === undefined)
    return noChainAnswer('failed', 'The chain was not queried.', Math.round(deps.index.now()));
  return { ...entry.answer, ageMs: Math.round(performance.now() - entry.queriedAt) };
}

async function queryChainOfRequest(deps: Services, { record, priority }: QueryContext): Promise<Onchain> {
  const { networkId, keeper, chainName, sequence } = record;
  const now = () => Math.round(deps.index.now());
  const endpoints = deps.rpc.get(networkId) ?? [];
  if (endpoints.length === 0) {
    const why = `No RPC is set for network ${networkId}: add ${networkId}=https://… to RPC_URLS to query the chain.`;
    return noChainAnswer('unconfigured', why, now());
  }
  const contract = readBytes(await randomnessContract(keeper, networkId));
  if (contract?.length !== 42) {
    const why = `The contract of network ${networkId} is not known: name it in NETWORKS_FILE.`;
    return noChainAnswer('no-contract', why, now());
  }
  const readMs = deps.index.status().find((status) => status.keeper === keeper)?.syncedAtMs;
  const query = chainQueryOf(record, contract, readMs ?? undefined);
  if (query === undefined) {
    return noChainAnswer(
      'no-provider',
      'The log has no well-formed provider of this request to query.',
      now(),
    );
  }
  const revelation = async () => deps.revelations.get(keeper)?.revelation(chainName, sequence);
  const state = chainStates(deps).find(
    (chainState) => chainState.keeper === keeper && chainState.networkId === networkId,
  );
  const wallet = state?.wallets[0]?.address;
  const behindMs = (endpoint: RpcEndpoint) => nodeBehindMs(endpoint, deps);
  const facts = await queryChain(endpoints, query, { priority, now, behindMs, revelation, wallet });
  return facts.ok
    ? chainAnswer(query, facts.value)
    : noChainAnswer('failed', `The chain was not queried: ${facts.failure.detail}`, now());
}

/** Undefined if the row's provider or sequence cannot exist in a contract. */
function chainQueryOf(
  record: ListedRecord,
  contract: `0x${string}`,
  logReadMs: number | undefined,
): ChainQuery | undefined {
  const provider = readBytes(record.provider);
  const sequence = unsignedDigits(record.sequence, 64n);
  if (provider?.length !== 42 || sequence === undefined) return undefined;
  const requestTx = readBytes(record.requestTxHash);
  const block = unsignedDigits(record.requestBlock ?? '', 63n);
  const { state } = record;
  const answer = completion(record);
  const revealTx = readBytes(answer?.revealTxHash);
  const revealBlock = unsignedDigits(answer?.revealBlock ?? '', 63n);
  const word = (text: string | null | undefined) => {
    const digits = wordDigits(text);
    return digits === undefined ? undefined : (`0x${digits}` as const);
  };
  const sender = readBytes(record.sender);
  const user = word(record.userRandomNumber);
  const contribution = word('providerRandomNumber' in state ? state.providerRandomNumber : undefined);
  const isKnown = state.kind === 'pending' || state.kind === 'failed';
  const logged = isKnown ? state.kind : answer === undefined ? 'unknown' : undefined;
  return {
    networkId: record.networkId,
    contract,
    provider,
    sequence: BigInt(sequence),
    createdMs: record.createdAt.ms,
    ...(logReadMs !== undefined && { logReadMs }),
    logged: logged ?? (stateWord(state) === 'callback-failed' ? 'callback-failed' : 'completed'),
    ...(requestTx?.length === 66 && { requestTx }),
    ...(block !== undefined && { requestBlock: BigInt(block) }),
    ...(revealTx?.length === 66 && { revealTx }),
    ...(revealBlock !== undefined && { revealBlock: BigInt(revealBlock) }),
    ...(sender?.length === 42 && { sender }),
    ...(user && { user }),
    ...(contribution && { contribution }),
  };
}

/** `GET /api/view/requests/onchain?network=&sequence=[&keeper=&provider=&tx=][&fresh=1]`. */
export async function replyWithOnchain(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const locator = readLocator(params.get('network') ?? '', params.get('sequence') ?? '', params);
  if (locator === undefined)
    return problemReply(problemDetails('bad-request', 'network and sequence should be numbers.'));
  const record = await findRecord(locator);
  if (!record.ok) return problemReply(failureProblem(record.failure));
  return jsonReply(await onchainOf(record.value, { isFresh: params.get('fresh') === '1' }));
}

export async function findRecord(locator: RequestLocator): Promise<Outcome<ListedRecord>> {
  const { text } = await lookUpRequest(locator, 'services');
  const answer = readRequestAnswer(text);
  if (!answer.ok) return answer;
  const [record, other] = fittingRows(answer.value.rows, locator);
  if (record === undefined)
    return failed({ kind: 'missing', service: 'logs', detail: 'No such request in the log.' });
  if (other === undefined) return ok(record);
  const detail = 'Several requests share this sequence: name keeper, provider and tx.';
  return failed({ kind: 'bad-request', detail });
}
