import 'server-only';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemOf } from '@/lib/core/problem';
import { onchainOf, recordOf } from '@/lib/onchain/server/answers';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { type ChainEvidence, chainEvidenceOf } from '@/lib/pending/chain-cause';
import { readAsked } from '@/lib/requests/request-address';
import { services } from '@/lib/services/services';
import { pendingRecords } from './replies';
import { triageOf } from './triage';

/** Number of (oldest) requests of an incident that are checked on the chain. */
const ASKED_REQUESTS = 3;

/** `GET /api/view/pending/onchain?id=<incident>`, or `?network=&sequence=[&keeper=&provider=&tx=]` of one request. */
export async function replyWithChainEvidence(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const id = params.get('id');
  const evidence = id === null ? await ofRequest(params) : await ofIncident(id);
  return evidence.ok ? jsonReply(evidence.value) : problemReply(problemOf(evidence.failure));
}

async function ofRequest(params: URLSearchParams): Promise<Outcome<ChainEvidence>> {
  const asked = readAsked(params.get('network') ?? '', params.get('sequence') ?? '', params);
  if (asked === undefined)
    return failed({ kind: 'bad-request', detail: 'network and sequence should be numbers.' });
  const record = await recordOf(asked);
  if (!record.ok) return record;
  const { keeper, networkId } = record.value;
  const answer = await onchainOf(record.value);
  return ok(chainEvidenceOf([answer], 1, stateOf(keeper, networkId), services().index.now()));
}

async function ofIncident(id: string): Promise<Outcome<ChainEvidence>> {
  const { index } = services();
  const { triage } = await triageOf(index).now();
  const incident = triage.incidents.find((one) => one.id === id);
  if (incident === undefined) return failed({ kind: 'missing', detail: 'No such incident.' });
  const { keeper, networkId, rows, size } = incident;
  const records = await pendingRecords(index, keeper, rows.slice(0, ASKED_REQUESTS));
  const answers = await Promise.all(records.map((record) => onchainOf(record)));
  return ok(chainEvidenceOf(answers, size, stateOf(keeper, networkId), index.now()));
}

function stateOf(keeper: string, networkId: string) {
  return chainStates().find((one) => one.keeper === keeper && one.networkId === networkId);
}
