import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { formatIsoMillis, isoTimeInUtc, unixMillis } from '@/lib/domain/units';
import type { ExportEnd, ExportMeta } from '@/lib/requests/export-mark';
import { type ExportAsk, exportedView } from '@/lib/requests/export-url';
import { formatRequestsUrl, viewNowMs } from '@/lib/requests/view';
import { exportRowMemory, type RowMemory } from './export-memory';
import { groupOf, MergedWalk } from './export-merge';
import {
  askPatiently,
  LONG_PATIENCE,
  type Patience,
  SHORT_PATIENCE,
  type WaitEdges,
} from './export-persistence';
import type { ExportText } from './export-text';
import { type Ask, PartWalk, type WalkRow } from './export-walk';
import { type LogSources, partsOf } from './parts';

/** What an export needs of the world. */
export type ExportEdges = WaitEdges & {
  sources: LogSources;
  /** Unix milliseconds. */
  now(): number;
  /** Names of networks, for people. */
  networkNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Lets the others have their turn. */
  pause(): Promise<void>;
  /** Whether who asked for the export would still be let in. */
  mayStay(): Promise<boolean>;
};

/** An export whose first answers are there, and nothing of it written. */
export type BegunExport = { meta: ExportMeta; walk: MergedWalk };

/** Rows that all parts together hold in memory at once; a part always holds at least 50. */
const MOST_BUFFERED = 5000;
/** The service's most, and what it is asked for while there are few parts: fewer calls, and no answer over 2 MB. */
const MOST_PER_PAGE = 1000;
const LEAST_PER_PAGE = 50;
/** Rows per piece of text: about 100 kB, and a few milliseconds of work. */
const ROWS_PER_PIECE = 100;

const SHOWN_DETAIL = 500;
/** Who asked is no longer let in. Not of a service, and no call was made for it. */
const NOT_LET_IN: Failure = {
  kind: 'bad-request',
  detail:
    'The rest is not given: whoever asked for this export has signed out, or the session or password no longer holds.',
};

/** Networks whose names are remembered; more than any keeper serves. */
const MOST_NAMES = 1000;

/**
 * Asks for the first page of every part, which also says how many rows there are. Fails as the services do, so that the
 * reader gets a status instead of a file. What it remembers is given back when its pieces end or the signal is aborted.
 * @param memory of all exports together
 */
export async function beginExport(
  ask: ExportAsk,
  edges: ExportEdges,
  signal: AbortSignal,
  memory: RowMemory = exportRowMemory(),
): Promise<Outcome<BegunExport>> {
  const nowMs = edges.now();
  const view = { ...ask.view, asof: pinOf(ask, nowMs) };
  const parts = partsOf(view, viewNowMs(view, nowMs), edges.sources);
  if (!parts.ok) return parts;
  const limit = Math.max(
    LEAST_PER_PAGE,
    Math.min(MOST_PER_PAGE, Math.floor(MOST_BUFFERED / parts.value.length)),
  );
  const share = memory.share();
  signal.addEventListener('abort', () => share.end(), { once: true });
  const walks = parts.value.map((part) => new PartWalk(part, limit, share));
  const walk = new MergedWalk(walks, share);
  const begun = await walk.begin(patientAsk(SHORT_PATIENCE, edges, signal), signal);
  if (!begun.ok || signal.aborted) share.end();
  if (!begun.ok) return begun;
  return ok({
    walk,
    meta: {
      query: formatRequestsUrl(exportedView(view)),
      asof: view.asof,
      started: formatIsoMillis(unixMillis(nowMs)),
      order: 'created_at, newest first',
      keepers: [...new Set(walks.map(({ keeper }) => keeper))],
      expected: sumOf(walks.map(({ expected }) => expected)),
      unserved: unservedOf(walks),
    },
  });
}

function pinOf({ view }: ExportAsk, nowMs: number): string {
  const pinned = view.asof === undefined ? undefined : isoTimeInUtc(view.asof);
  return pinned ?? formatIsoMillis(unixMillis(nowMs));
}

function patientAsk(patience: Patience, edges: WaitEdges, signal: AbortSignal): Ask {
  return (call) => askPatiently(call, patience, edges, signal);
}

/** Null when one is not known, or is more than a number holds (which no file could be either). */
function sumOf(counts: readonly (string | undefined)[]): number | null {
  let sum = 0;
  for (const count of counts) sum += count === undefined ? Number.NaN : Number(count);
  return Number.isSafeInteger(sum) ? sum : null;
}

function unservedOf(walks: readonly PartWalk[]): ExportMeta['unserved'] {
  const unserved = new Map<string, ExportMeta['unserved'][number]>();
  for (const { served, keeper, part } of walks) {
    const networkId = part.filter.networkId ?? '';
    if (served === 'no') unserved.set(`${keeper}/${networkId}`, { keeper, networkId });
  }
  return [...unserved.values()];
}

/**
 * The text of an export, a piece at a time; the next page is asked for when its first row is wanted. Once its visitor may
 * not stay it gives no row more. Ends in any case with the mark that says what it is worth, unless the signal is aborted.
 */
export async function* exportPieces(
  { walk, meta }: BegunExport,
  text: ExportText,
  edges: ExportEdges,
  signal: AbortSignal,
): AsyncGenerator<string, ExportEnd | undefined> {
  const ask = patientAsk(LONG_PATIENCE, edges, signal);
  const names = new Map<string, string>();
  let written = 0;
  let unreadable = 0;
  let failure: Failure | undefined;
  yield text.begin(meta);
  try {
    while (!signal.aborted) {
      const next = await nextRows(walk, ask, edges, signal);
      if (!next.ok) failure = next.failure;
      if (!next.ok || next.value.length === 0) break;
      await learnNames(names, next.value, edges);
      written += next.value.length;
      for (const { row } of next.value) if (row.kind === 'unreadable') unreadable += 1;
      yield text.rows(next.value, (id) => names.get(id) ?? id);
      await edges.pause();
    }
  } finally {
    walk.share.end();
  }
  if (signal.aborted) return undefined;
  const verdict = await verdictOf(walk, meta.expected, written, failure, ask);
  const finished = formatIsoMillis(unixMillis(edges.now()));
  const end = { finished, expected: meta.expected, written, unreadable, ...verdict };
  yield text.end(meta, end);
  return end;
}

/** Looks before, so that nothing more is asked for, and after: the service may have taken a minute to answer. */
async function nextRows(
  walk: MergedWalk,
  ask: Ask,
  edges: ExportEdges,
  signal: AbortSignal,
): Promise<Outcome<WalkRow[]>> {
  if (!(await edges.mayStay())) return failed(NOT_LET_IN);
  const next = await walk.next(ROWS_PER_PIECE, ask, signal);
  return (await edges.mayStay()) ? next : failed(NOT_LET_IN);
}

async function learnNames(names: Map<string, string>, rows: readonly WalkRow[], edges: ExportEdges) {
  // A service may name another network in each row; those of the rows at hand are enough.
  if (names.size > MOST_NAMES) names.clear();
  const missing = new Set<string>();
  for (const { row } of rows)
    if (row.kind === 'record' && !names.has(row.networkId)) missing.add(row.networkId);
  if (missing.size === 0) return;
  for (const [id, name] of await edges.networkNames([...missing])) names.set(id, name);
}

type Verdict = Pick<ExportEnd, 'complete' | 'problem' | 'left' | 'entered'>;

/**
 * Whether the rows are all that there were. Counts that differ are explained only by a second count: what changed its state
 * or was logged late while the export ran moves the count itself, and the rows written lie between both counts.
 */
async function verdictOf(
  walk: MergedWalk,
  expected: number | null,
  written: number,
  failure: Failure | undefined,
  ask: Ask,
): Promise<Verdict> {
  const left = Math.max(0, (expected ?? written) - written);
  const entered = Math.max(0, written - (expected ?? written));
  if (failure !== undefined) {
    return { complete: false, problem: failure.detail.slice(0, SHOWN_DETAIL), left: 0, entered: 0 };
  }
  for (const { before, rows, parts } of groupsOf(walk)) {
    if (before === null || before === rows) continue;
    const after = await countOf(parts, ask);
    const problem = differenceOf(before, rows, after);
    if (problem !== undefined) return { complete: false, problem, left: 0, entered: 0 };
  }
  return { complete: true, problem: null, left, entered };
}

function differenceOf(before: number, rows: number, after: Outcome<number | null>): string | undefined {
  if (!after.ok)
    return `The rows could not be counted once more: ${after.failure.detail.slice(0, SHOWN_DETAIL)}`;
  const counted = after.value ?? before;
  if (Math.min(before, counted) <= rows && rows <= Math.max(before, counted)) return undefined;
  return `The service counts ${before} rows (${counted} at the end) but gave ${rows}.`;
}

type Group = { before: number | null; rows: number; parts: PartWalk[] };

function groupsOf(walk: MergedWalk): Group[] {
  const groups = new Map<string, PartWalk[]>();
  for (const part of walk.walks) groups.set(groupOf(part), [...(groups.get(groupOf(part)) ?? []), part]);
  return [...groups].map(([name, parts]) => ({
    parts,
    before: sumOf(parts.map(({ expected }) => expected)),
    rows: walk.written.get(name) ?? 0,
  }));
}

async function countOf(parts: readonly PartWalk[], ask: Ask): Promise<Outcome<number | null>> {
  const counts: string[] = [];
  for (const { part, served } of parts) {
    if (served === 'no') continue;
    const count = await ask(() => part.source.count(part.filter, 'background'));
    if (!count.ok) return count;
    counts.push(count.value);
  }
  return ok(sumOf(counts));
}
