import 'server-only';
import {
  type DiagnosisAnswer,
  type DiagnosisAsked,
  writeDiagnosis,
  writeListedRow,
} from '@/lib/contract/codec/triage-detail';
import { type Diagnosis, diagnose } from '@/lib/domain/diagnosis/all-rules';
import { normalAge } from '@/lib/domain/diagnosis/finished-durations';
import { requestMarkdown } from '@/lib/domain/diagnosis/hand-over';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { currentSettings } from '@/lib/server/current-settings';
import { thresholdsOf } from '@/lib/server/pending-settings';
import type { IndexStore } from '@/lib/store/store';
import type { ListedRecord } from './logged-rows';
import { originOf, paperSource } from './paper-source';
import { requestEvidence } from './request-evidence';
import { indexOfKeepers, refused, replyWith } from './triage-reply';

/** `GET /api/view/pending/diagnosis?keeper=&network=&provider=&sequence=&tx=`. */
export function replyWithDiagnosis(request: Request): Promise<Response> {
  return replyWith(request, async (params) => {
    const [network, sequence] = [params.get('network') ?? '', params.get('sequence') ?? ''];
    if (!/^\d{1,20}$/.test(network)) return refused('network should be a network id.');
    if (!/^\d{1,20}$/.test(sequence)) return refused('sequence should be a sequence number.');
    const [provider, tx] = [params.get('provider'), params.get('tx')];
    const asked: DiagnosisAsked = {
      networkId: network,
      sequence: BigInt(sequence).toString(),
      ...(provider ? { provider } : {}),
      ...(tx ? { tx } : {}),
    };
    const index = indexOfKeepers();
    if (!index.ok) return index;
    const keeper = keeperOf(params, index.value);
    if (!keeper.ok) return keeper;
    const answer = await diagnosisAnswer(index.value, keeper.value, asked, originOf(request));
    return ok(JSON.stringify(answer));
  });
}

/** The keeper that a request asks for; the first one where it names none. */
function keeperOf(params: URLSearchParams, { keepers }: IndexStore): Outcome<string> {
  const names = keepers.map(({ name }) => name);
  const name = params.get('keeper') || names[0];
  if (name !== undefined && names.includes(name)) return ok(name);
  return failed({ kind: 'bad-request', detail: `keeper must be one of ${names.join(', ')}.` });
}

type WrittenDiagnosis = Omit<DiagnosisAnswer, 'request' | 'diagnosis'> & {
  request?: ReturnType<typeof writeListedRow>;
  diagnosis?: ReturnType<typeof writeDiagnosis>;
};

async function diagnosisAnswer(
  index: IndexStore,
  keeper: string,
  asked: DiagnosisAsked,
  origin: string,
): Promise<WrittenDiagnosis> {
  const settings = thresholdsOf(currentSettings(), asked.networkId);
  const known = await requestEvidence(index, keeper, asked);
  const { revision, asOfMs, found, evidence, finished, missing } = known;
  const row = found.kind === 'one' || found.kind === 'gone' ? found.row : undefined;
  const answer: WrittenDiagnosis = {
    revision,
    atMs: asOfMs,
    state: missing.length === 0 ? 'complete' : 'partial',
    missing,
    found: found.kind,
    normal: normalAge(finished, settings),
    settings,
    ...(row === undefined ? {} : { request: writeListedRow(row) }),
  };
  if (row === undefined || evidence === undefined) return answer;
  const diagnosis = diagnose(row, evidence, settings, asOfMs);
  const markdown = await markdownOf(row, diagnosis, origin, asOfMs);
  return { ...answer, diagnosis: writeDiagnosis(diagnosis), markdown };
}

async function markdownOf(
  row: ListedRecord,
  diagnosis: Diagnosis,
  origin: string,
  nowMs: number,
): Promise<string> {
  return requestMarkdown(row, diagnosis, await paperSource(origin, row.networkId, nowMs));
}
