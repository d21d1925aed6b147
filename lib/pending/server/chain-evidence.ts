import 'server-only';
import { jsonReply, problemReply } from '@/lib/access/reply';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { findRecord, onchainOf } from '@/lib/onchain/server/onchain-endpoint';
import { type ChainEvidence, chainEvidenceOf } from '@/lib/pending/chain-cause';
import type { KeyedIncident } from '@/lib/pending/incidents';
import { log } from '@/lib/platform/log';
import { processWideOf } from '@/lib/platform/process-wide';
import { readLocator } from '@/lib/requests/request-address';
import { type Services, services, startedServices } from '@/lib/services/services';
import { IndexUnavailableError } from '@/lib/store/engine';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import { chainAgeMs, chainStateOf, REFRESH_AFTER_MS, storeChain } from './chain-cache';
import { pendingRecords } from './evidence';
import { triageOf } from './triage';

/** Requests of an incident that are checked on the chain, oldest first. */
const MAX_CHECKED_REQUESTS = 3;

/** `GET /api/view/pending/onchain?id=<incident>`, or `?network=&sequence=[&keeper=&provider=&tx=]` for one request. */
export async function replyWithChainEvidence(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const id = params.get('id');
  const evidence = id === null ? await evidenceOfRequest(params) : await evidenceOfIncident(id);
  return evidence.ok ? jsonReply(evidence.value) : problemReply(failureProblem(evidence.failure));
}

async function evidenceOfRequest(params: URLSearchParams): Promise<Outcome<ChainEvidence>> {
  const locator = readLocator(params.get('network') ?? '', params.get('sequence') ?? '', params);
  if (locator === undefined)
    return failed({ kind: 'bad-request', detail: 'network and sequence should be numbers.' });
  const record = await findRecord(locator);
  if (!record.ok) return record;
  const { key, keeper, networkId } = record.value;
  const answer = await onchainOf(record.value);
  storeChain(key, [answer]);
  return ok(chainEvidenceOf([answer], 1, chainStateOf(keeper, networkId), services().index.now()));
}

async function evidenceOfIncident(id: string): Promise<Outcome<ChainEvidence>> {
  const { index } = services();
  const { triage } = await triageOf(index).now();
  const incident = triage.incidents.find((incident) => incident.id === id);
  if (incident === undefined) return failed({ kind: 'missing', detail: 'No such incident.' });
  const { keeper, networkId, size } = incident;
  const answers = await queryOldest(incident, 'user', services());
  return ok(chainEvidenceOf(answers, size, chainStateOf(keeper, networkId), index.now()));
}

type Checked = Pick<KeyedIncident, 'id' | 'keeper' | 'rows'>;

async function queryOldest({ id, keeper, rows }: Checked, priority: CallPriority, deps: Services) {
  const records = await pendingRecords(deps.index, keeper, rows.slice(0, MAX_CHECKED_REQUESTS));
  const answers = await Promise.all(records.map((record) => onchainOf(record, { priority, deps })));
  storeChain(id, answers, deps);
  return answers;
}

/** Incidents at the top of a list that the chain is queried about while the list is on screen. */
const MAX_LISTED = 10;

const refreshRoundOf = processWideOf('chain-of-list', (_: Services): { underWay: boolean } => {
  return { underWay: false };
});

/**
 * Checks listed incidents once a minute for all viewers. Never fails. Only the render of a page waits for it, and not
 * for long.
 */
export async function refreshListed(incidents: readonly KeyedIncident[]): Promise<void> {
  const deps = services();
  const round = refreshRoundOf(deps);
  const due = incidents
    .slice(0, MAX_LISTED)
    .filter(({ id, networkId, rows }) => deps.rpc.has(networkId) && rows.length > 0 && isDue(id, deps));
  if (round.underWay || due.length === 0) return;
  round.underWay = true;
  await refreshInTurn(due, deps)
    .catch((error: unknown) => {
      if (!(error instanceof IndexUnavailableError))
        log().error({ error }, 'querying the chain about incidents failed');
    })
    .finally(() => {
      round.underWay = false;
    });
}

export const refreshKnown = () => refreshListed(triageOf(services().index).cached()?.triage.incidents ?? []);

const isDue = (id: string, deps: Services) => chainAgeMs(id, deps) >= REFRESH_AFTER_MS;

/** Runs with a lower priority than anything that a person waits for. */
async function refreshInTurn(incidents: readonly KeyedIncident[], deps: Services): Promise<void> {
  for (const incident of incidents) {
    if (startedServices() !== deps) return;
    await queryOldest(incident, 'background', deps);
  }
}
