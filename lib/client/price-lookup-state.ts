import type { Failure, Outcome } from '@/lib/domain/outcome';
import type { LookupAsk, LookupCall, LookupCell, LookupRequest, serviceOf } from './price-lookup';
import type { AnswerPayload } from './price-lookup-read';

/** What is limited together: the service behind a source. */
export type LookupService = ReturnType<typeof serviceOf>;

/** A call with what came of it, the text as the service sent it. */
export type LookupAnswer = {
  readonly call: LookupCall;
  readonly text?: string;
  readonly failure?: Failure;
  readonly payloads: readonly AnswerPayload[];
  /** How long it took, milliseconds. */
  readonly tookMs: number;
};

export type LookupState = {
  readonly phase: 'idle' | 'running' | 'ended' | 'cancelled';
  readonly ask?: LookupAsk;
  /** By `cellKey`; a cell that is not there waits. */
  readonly cells: ReadonlyMap<string, LookupCell>;
  /** In order of arrival. */
  readonly answers: readonly LookupAnswer[];
  /** `planned` grows where a refused call is asked again in parts. */
  readonly calls: { readonly made: number; readonly planned: number };
  /** Services that told us to wait, and until when, unix milliseconds. */
  readonly pauses: Readonly<Partial<Record<LookupService, number>>>;
  /** Unix milliseconds; 0 before. */
  readonly startedMs: number;
  readonly endedMs: number;
};

/** The world around a lookup. */
export type LookupEdges = {
  /** Rejects only when `signal` is aborted. */
  readonly ask: (request: LookupRequest, signal: AbortSignal) => Promise<Outcome<string>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Runs something later; gives the way to prevent it. */
  readonly after: (ms: number, run: () => void) => () => void;
};

/** Of a lookup that has not begun. */
export const IDLE_LOOKUP: LookupState = {
  phase: 'idle',
  cells: new Map(),
  answers: [],
  calls: { made: 0, planned: 0 },
  pauses: {},
  startedMs: 0,
  endedMs: 0,
};
