import 'server-only';
import { LRUCache } from 'lru-cache';
import { problemReply, textReply } from '@/lib/access/reply';
import { unconfigured } from '@/lib/core/health';
import { unknownNetwork } from '@/lib/core/network';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { groupVerdictsOf } from '@/lib/pending/incidents';
import {
  type DiagnosisLocator,
  GROUP_PAGE,
  type GroupAnswer,
  MAX_INCIDENT_ROWS,
  type WrittenDiagnosis,
  type WrittenIncident,
} from '@/lib/pending/pending-response';
import { incidentMarkdown, type ReportSource, requestMarkdown } from '@/lib/pending/report';
import { diagnose } from '@/lib/pending/rules/diagnose';
import { ruleInput } from '@/lib/pending/rules/rule';
import { causeGroups, groupIdOf, listedSingle } from '@/lib/pending/singles';
import { thresholdsOf } from '@/lib/platform/network-settings';
import { currentSettings } from '@/lib/platform/settings';
import type { ListedRecord } from '@/lib/requests/requests-response';
import { indexText } from '@/lib/requests/server/requests-endpoint';
import { networksFor } from '@/lib/services/network-directory';
import { services, skewedClocks } from '@/lib/services/services';
import type { IndexStore } from '@/lib/store/store';
import { cachedEvidence, chainChanges, listedChain } from './chain-cache';
import { refreshListed } from './chain-evidence';
import { findRequest, gatherEvidence, missingEvidence, pendingRecords } from './evidence';
import { acknowledgedNow, type TriageNow, triageOf } from './triage';
import { triageAnswer } from './triage-answer';

type Answer = (params: URLSearchParams, index: IndexStore, request: Request) => Promise<Outcome<string>>;

/** Falls back to the last triage, with its time. @throws if there is none */
async function triageNow(index: IndexStore): Promise<TriageNow> {
  const triage = triageOf(index);
  try {
    return await triage.now();
  } catch (error) {
    const last = triage.cached();
    if (last === undefined) throw error;
    return last;
  }
}

/** Answers `unconfigured` without a keeper. HEAD requests do no work. */
function replyWith(answer: Answer): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'HEAD') return textReply(null);
    const { index, keepers } = services();
    const { searchParams } = new URL(request.url);
    const outcome =
      keepers.length === 0
        ? failed(unconfigured('logs'))
        : await indexText(() => answer(searchParams, index, request));
    return outcome.ok ? textReply(outcome.value) : problemReply(failureProblem(outcome.failure));
  };
}

/** Answers by size, the most recently requested ones. */
const written = new WeakMap<TriageNow, LRUCache<string, string>>();
const MAX_WRITTEN = 4;

/** `GET /api/view/pending?most=N`. */
export const replyWithTriage = replyWith(async (params, index) => {
  const sizeText = params.get('most');
  if (sizeText !== null && !/^\d{1,3}$/.test(sizeText))
    return badRequest('most should be a whole number from 0 to 999.');
  const triageState = await triageNow(index);
  const texts = written.get(triageState) ?? new LRUCache<string, string>({ max: MAX_WRITTEN });
  written.set(triageState, texts);
  const limit = sizeText === null ? undefined : Number(sizeText);
  // The list never waits for the chain, whose answer is part of the next list.
  if (limit === undefined) void refreshListed(triageState.triage.incidents);
  const name = `${sizeText} ${chainChanges()}`;
  const write = () => JSON.stringify(triageAnswer(triageState, currentSettings(), skewedClocks(), limit));
  const text = texts.get(name) ?? write();
  texts.set(name, text);
  return ok(text);
});

const MAX_ID_CHARACTERS = 2000;

/** `GET /api/view/pending/incident?id=…`. */
export const replyWithIncident = replyWith(async (params, index, request) => {
  const id = params.get('id') ?? '';
  if (id === '' || id.length > MAX_ID_CHARACTERS) return badRequest('id should be the id of an incident.');
  const triageState = await triageNow(index);
  const { revision, atMs, state, triage } = triageState;
  const incident = triage.incidents.find((incident) => incident.id === id);
  const answer: WrittenIncident = { revision, atMs, state, rows: [] };
  if (incident === undefined) return ok(JSON.stringify(answer));
  const { rows: keys, ...rest } = incident;
  const rows = await pendingRecords(index, incident.keeper, keys.slice(0, MAX_INCIDENT_ROWS));
  const source = await sourceOf(request, incident.networkId, atMs);
  const markdown = incidentMarkdown(incident, rows, source, cachedEvidence(incident));
  const listed = { ...rest, ...listedChain(incident) };
  return ok(JSON.stringify({ ...answer, incident: listed, rows: rows.map(writtenRow), markdown }));
});

/** `GET /api/view/pending/group?id=…&from=N`. */
export const replyWithGroup = replyWith(async (params, index) => {
  const id = params.get('id') ?? '';
  const from = params.get('from') ?? '0';
  if (id === '' || id.length > MAX_ID_CHARACTERS) return badRequest('id should be the id of a group.');
  if (!/^\d{1,9}$/.test(from)) return badRequest('from should be a whole number.');
  const triageState = await triageNow(index);
  const { revision, atMs, state, triage } = triageState;
  const isAcknowledged = acknowledgedNow(triageState);
  const members = triage.singles.filter((single) => groupIdOf(single) === id);
  const [group] = causeGroups(members, (key) => isAcknowledged('request', key));
  const requests = members.slice(Number(from), Number(from) + GROUP_PAGE).map((single) => {
    return { ...listedSingle(single), ...listedChain({ ...single, id: single.key, size: 1 }) };
  });
  return ok(JSON.stringify({ revision, atMs, state, group, requests } satisfies GroupAnswer));
});

function writtenRow({ keeper, rawJson }: ListedRecord): WrittenIncident['rows'][number] {
  return { keeper, row: rawJson };
}

/** `GET /api/view/pending/diagnosis?keeper=&network=&provider=&sequence=&tx=`. */
export const replyWithDiagnosis = replyWith(async (params, index, request) => {
  const [networkId, sequence] = [params.get('network') ?? '', params.get('sequence') ?? ''];
  if (!/^\d{1,20}$/.test(networkId)) return badRequest('network should be a network id.');
  if (!/^\d{1,20}$/.test(sequence)) return badRequest('sequence should be a sequence number.');
  const names = index.keepers.map(({ name }) => name);
  const keeper = params.get('keeper') || names[0];
  const triageState = await triageNow(index);
  const { revision, keepers } = triageState;
  const snapshot = keepers.find((snapshot) => snapshot.keeper === keeper);
  if (snapshot === undefined) return badRequest(`keeper must be one of ${names.join(', ')}.`);
  const locator: DiagnosisLocator = {
    networkId,
    sequence: BigInt(sequence).toString(),
    provider: params.get('provider') || undefined,
    tx: params.get('tx') || undefined,
  };
  const { nowMs } = snapshot;
  const settings = thresholdsOf(currentSettings(), networkId);
  const match = await findRequest(index, snapshot, locator);
  const answer: WrittenDiagnosis = {
    revision,
    atMs: nowMs,
    state: 'complete',
    missing: [],
    found: match.kind,
    settings,
  };
  if (match.kind !== 'one' && match.kind !== 'gone') return ok(JSON.stringify(answer));
  const { row } = match;
  answer.request = writtenRow(row);
  if (match.kind === 'gone') return ok(JSON.stringify(answer));
  const evidence = await gatherEvidence(index, snapshot, row);
  const missing = missingEvidence(evidence, row);
  const diagnosis = diagnose(
    ruleInput(row, evidence, settings, nowMs),
    groupVerdictsOf(triageState.triage, row),
  );
  const source = await sourceOf(request, networkId, nowMs);
  const chain = cachedEvidence({ id: row.key, keeper: row.keeper, networkId, size: 1 });
  const markdown = requestMarkdown(row, diagnosis, source, chain);
  const state = missing.length === 0 ? 'complete' : 'partial';
  return ok(JSON.stringify({ ...answer, state, missing, diagnosis, markdown }));
});

async function sourceOf(request: Request, networkId: string, nowMs: number): Promise<ReportSource> {
  const [network = unknownNetwork(networkId)] = networksFor([networkId]);
  return { network, origin: originOf(request), nowMs };
}

/** The origin that the client sees. The guard has checked the host name. */
function originOf({ url, headers }: Request): string {
  const forwarded = headers.get('x-forwarded-proto')?.split(',')[0]?.trim();
  const protocol = forwarded === 'https' ? 'https:' : new URL(url).protocol;
  return `${protocol}//${headers.get('host') ?? new URL(url).host}`;
}
