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
import { isPending } from '@/lib/domain/diagnosis/logged-row';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { currentSettings } from '@/lib/server/current-settings';
import type { LogSource } from '@/lib/server/explorer/log-source';
import { unconfigured } from '@/lib/server/gateway-routes';
import { thresholdsOf } from '@/lib/server/pending-settings';
import type { ListedRecord } from './log-rows';
import { originOf, paperSource } from './paper-source';
import type { RequestLook } from './request-look';
import { briefly, refused, replyWith } from './triage-reply';
import { type SharedTriage, sharedTriage } from './triage-shared';

/** Those under way take a second or two; ours, not a service's. */
const TOO_MANY_LOOKS: Failure = {
  kind: 'too-many',
  detail: 'As many requests are being looked at here as may be at a time. Try again in 2 s.',
  retryAfterS: 2,
};

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
    const shared = sharedTriage();
    const source = sourceOf(params, shared);
    if (!source.ok) return source;
    const look = shared.requestLook(source.value, asked);
    const over = look?.ask();
    if (look === undefined || over === undefined) return failed(TOO_MANY_LOOKS);
    await briefly(over);
    return ok(JSON.stringify(await diagnosisAnswer(look, asked, shared, originOf(request))));
  });
}

/** The log that a request asks for; the first one where it names none. */
function sourceOf(params: URLSearchParams, { sources }: SharedTriage): Outcome<LogSource> {
  const names = [...sources.keys()];
  const [first] = names;
  if (first === undefined) return failed(unconfigured('logs'));
  const source = sources.get(params.get('keeper') || first);
  if (source !== undefined) return ok(source);
  return failed({ kind: 'bad-request', detail: `keeper must be one of ${names.join(', ')}.` });
}

type WrittenDiagnosis = Omit<DiagnosisAnswer, 'request' | 'diagnosis'> & {
  request?: ReturnType<typeof writeListedRow>;
  diagnosis?: ReturnType<typeof writeDiagnosis>;
};

async function diagnosisAnswer(
  look: RequestLook,
  asked: DiagnosisAsked,
  shared: SharedTriage,
  origin: string,
): Promise<WrittenDiagnosis> {
  const atMs = Date.now();
  const settings = thresholdsOf(currentSettings(), asked.networkId);
  const { found, progress } = look;
  const row = found.kind === 'one' ? found.row : undefined;
  const missing = look.missingOf(row);
  const diagnosis = row && diagnose(row, look.evidenceOf(row), settings, atMs);
  return {
    atMs,
    state: stateOf(look, row, missing.length, shared),
    ...(progress === undefined ? {} : { progress }),
    missing,
    found: found.kind,
    normal: normalAge(look.finished, settings),
    settings,
    ...(row === undefined ? {} : { request: writeListedRow(row) }),
    ...(row === undefined || diagnosis === undefined
      ? {}
      : { diagnosis: writeDiagnosis(diagnosis), markdown: await markdownOf(row, diagnosis, origin, atMs) }),
  };
}

/** Pending requests are only judged when all pending ones of the keeper are known, which may take longer. */
function stateOf(
  look: RequestLook,
  row: ListedRecord | undefined,
  missing: number,
  { gatherer }: SharedTriage,
): DiagnosisAnswer['state'] {
  const waitsForPending = row !== undefined && isPending(row) && look.pendingFor(row).kind === 'missing';
  if (!look.hasEnded || (waitsForPending && gatherer.isLooking)) return 'gathering';
  if (missing === 0) return 'complete';
  return row === undefined ? 'failed' : 'partial';
}

async function markdownOf(
  row: ListedRecord,
  diagnosis: Diagnosis,
  origin: string,
  nowMs: number,
): Promise<string> {
  return requestMarkdown(row, diagnosis, await paperSource(origin, row.networkId, nowMs));
}
