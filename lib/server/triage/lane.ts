import 'server-only';
import type { LaneAnswer, LaneAsked } from '@/lib/contract/codec/triage-detail';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { FinishedRows, Piece } from '@/lib/domain/diagnosis/evidence';
import { normalAge } from '@/lib/domain/diagnosis/finished-durations';
import { sequenceLane } from '@/lib/domain/diagnosis/sequence-lane';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type LogFilter, type LogSource, MOST_ROWS, type SourcePage } from '@/lib/server/explorer/log-source';
import { isoOf, type ListedRecord, recordsOf, totalOf } from './log-rows';

/** Rows of a stretch of time at most; more marks than this nobody tells apart. */
const MOST_LANE_ROWS = 6000;

/** Rows of a network for its strips: those of the stretch, or the newest. */
export function laneRows(asked: LaneAsked, source: LogSource): Promise<Outcome<SourcePage>> {
  const { networkId, fromMs, toMs } = asked;
  const filter: LogFilter = { networkId };
  if (fromMs !== undefined) filter.min = isoOf(fromMs);
  if (toMs !== undefined) filter.max = isoOf(toMs);
  const limit = fromMs === undefined && toMs === undefined ? MOST_ROWS : MOST_LANE_ROWS;
  return source.page(filter, limit, 0, 'user');
}

export type LaneKnown = {
  settings: DiagnosisSettings;
  /** Of the network, when something of it is known; else the rows themselves tell what is usual. */
  finished: Piece<FinishedRows> | undefined;
  nowMs: number;
};

/** The strip of one provider. */
export function laneAnswer(asked: LaneAsked, page: SourcePage, known: LaneKnown): LaneAnswer {
  const { settings, nowMs } = known;
  const rows = recordsOf(page.rows);
  const providers = providersOf(rows);
  const provider = asked.provider ?? providers[0]?.provider;
  const own: Piece<FinishedRows> = {
    kind: 'known',
    value: { rows, completeSinceMs: Number.MAX_SAFE_INTEGER },
    query: '',
    atMs: nowMs,
  };
  const finished = known.finished?.kind === 'known' ? known.finished : own;
  const lane = { networkId: asked.networkId, provider: provider ?? '' };
  const strip = sequenceLane(rows, lane, normalAge(finished, settings), settings, nowMs);
  const times = rows.map(({ createdAt }) => createdAt.ms);
  return {
    atMs: nowMs,
    provider,
    providers,
    fromMs: asked.fromMs ?? times.reduce((least, ms) => Math.min(least, ms), nowMs),
    toMs: asked.toMs ?? nowMs,
    items: strip.items,
    missingNumbers: strip.missingNumbers,
    overtaken: strip.overtaken,
    twins: strip.twins,
    unseen: hasBounds(asked) ? Math.max(0, totalOf(page) - page.rows.length) : 0,
    unreadable: page.rows.length - rows.length,
  };
}

/** Without times the newest rows are all that was asked for. */
function hasBounds({ fromMs, toMs }: LaneAsked): boolean {
  return fromMs !== undefined || toMs !== undefined;
}

function providersOf(rows: readonly ListedRecord[]): LaneAnswer['providers'] {
  const counts = new Map<string, number>();
  for (const { provider } of rows) {
    const name = provider?.toLowerCase();
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([provider, count]) => ({ provider, rows: count }))
    .sort((one, other) => other.rows - one.rows);
}

/** Reads what a lane request asks for; a sentence where it can't be read. */
export function readLaneAsked(
  params: URLSearchParams,
  momentOf: (text: string) => number | undefined,
): Outcome<LaneAsked> {
  const [from, to] = [params.get('from'), params.get('to')];
  const [fromMs, toMs] = [from, to].map((text) => (text === null ? undefined : momentOf(text)));
  const isOdd = (from !== null && fromMs === undefined) || (to !== null && toMs === undefined);
  const networkId = params.get('network') ?? '';
  if (!/^\d{1,20}$/.test(networkId)) return bad('network should be a network id');
  if (isOdd) return bad('from and to should be ISO times');
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) return bad('from should not be after to');
  return ok({
    networkId,
    ...(params.get('provider') ? { provider: params.get('provider') ?? '' } : {}),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  });
}

function bad(detail: string): Outcome<never> {
  return { ok: false, failure: { kind: 'bad-request', detail: `${detail}.` } };
}
