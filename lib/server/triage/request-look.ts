import 'server-only';
import type { DiagnosisAsked, MissingPiece } from '@/lib/contract/codec/triage-detail';
import {
  type Evidence,
  missing,
  type Piece,
  type RowsFound,
  type RowsWindow,
  unseen,
  WINDOW_MS,
} from '@/lib/domain/diagnosis/evidence';
import { isPending } from '@/lib/domain/diagnosis/logged-row';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type LogFilter, type LogSource, queryText } from '@/lib/server/explorer/log-source';
import type { UnderWay } from '@/lib/server/under-way';
import type { CallPriority } from '@/lib/upstream/call-budget';
import type { Timers } from '@/lib/upstream/timers';
import { Asking } from './asking';
import { type FoundRequest, foundRequest } from './found-request';
import { KeptPiece, type Learnt, whyOf } from './kept-piece';
import { type FoundRecords, foundOn, isoOf, type ListedRecord } from './log-rows';
import type { NetworkLook } from './network-look';
import { isOtherLog, isOtherPending, knownUntil, type RowsOfStretch } from './other-log';

export type RequestEdges = {
  source: LogSource;
  /** Of the request's network, shared with other requests there. */
  network: NetworkLook;
  /** E1 of the keeper, as it is known by now. */
  pending: () => Piece<RowsFound>;
  /** Asks for E1; it comes when it comes. `latest`: what is known is wrong. */
  askForPending: (need: 'kept' | 'latest') => void;
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
  /** Of all requests. */
  underWay: UnderWay;
};

/** What was gathered about a request serves everybody for so long. */
const KEPT_MS = 5000;
/** All pending rows as they were longer ago say nothing about now. */
const PENDING_KEPT_MS = 60_000;
/** A look that nobody has asked about for so long makes no further call. */
const WANTED_MS = 30_000;

/** Rows asked for. Around a request on a busy network there may be more; then the rules reckon with what they don't see. */
const MOST = { window: 4000, sender: 200, sameNumber: 100, sameTransaction: 1000 } as const;

/** Gathers E2 to E5 of one request, once for everybody who looks at it. Makes no call when nobody asks. */
export class RequestLook {
  readonly #edges: RequestEdges;
  readonly #asked: DiagnosisAsked;
  readonly #sameNumber = new KeptPiece<FoundRecords>();
  readonly #window = new KeptPiece<RowsWindow>();
  readonly #sender = new KeptPiece<FoundRecords>();
  readonly #sameTransaction = new KeptPiece<FoundRecords>();
  #asking: Asking | undefined;
  #underWay: Promise<void> | undefined;
  #beganAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #hasEnded = false;
  /** There may be tens of thousands of pending rows: the last comparison serves as long as nothing new is known. */
  #compared: { pending: Piece<RowsFound>; window: Piece<RowsWindow>; isOther: boolean } | undefined;

  constructor(asked: DiagnosisAsked, edges: RequestEdges) {
    this.#asked = asked;
    this.#edges = edges;
  }

  /**
   * Somebody wants to know.
   * @returns settles when the look that is under way is over; at once when none is needed; undefined when one is, and too
   * many others are under way
   */
  ask(): Promise<void> | undefined {
    const at = this.#edges.timers.elapsed();
    this.#askedAt = at;
    if (this.#underWay === undefined && at - this.#beganAt >= KEPT_MS) {
      const { underWay } = this.#edges;
      if (!underWay.hasRoom) return undefined;
      this.#beganAt = at;
      this.#underWay = underWay
        .run('looks', () => this.#look())
        .then(() => {})
        .finally(() => {
          this.#underWay = undefined;
          this.#asking = undefined;
        });
    }
    return this.#underWay ?? Promise.resolve();
  }

  async #look(): Promise<void> {
    const { network, now, timers } = this.#edges;
    const priority: CallPriority = this.#hasEnded ? 'background' : 'user';
    const isWanted = () => timers.elapsed() - this.#askedAt < WANTED_MS;
    const asking = new Asking({ priority, timers, isWanted }, 'The request');
    this.#asking = asking;
    const nowMs = now();
    const ofNetwork = network.look(asking, nowMs);
    const { networkId, sequence } = this.#asked;
    await this.#learn(this.#sameNumber, { networkId, query: sequence }, 'sameNumber', asking, nowMs);
    const found = this.found;
    if (found.kind === 'one') await this.#lookAround(found.row, asking, nowMs);
    await ofNetwork;
    if (found.kind === 'one') await this.#renewOtherLog(found.row, asking, nowMs);
    if (asking.isGivenUp) this.#beganAt = Number.NEGATIVE_INFINITY;
    else this.#hasEnded = true;
  }

  async #lookAround(row: ListedRecord, asking: Asking, nowMs: number): Promise<void> {
    if (isPending(row)) this.#edges.askForPending('kept');
    const { networkId, sender, requestTxHash, createdAt } = row;
    const [fromMs, toMs] = [createdAt.ms - WINDOW_MS, createdAt.ms + WINDOW_MS];
    const window: LogFilter = { networkId, min: isoOf(fromMs), max: isoOf(toMs) };
    await Promise.all([
      this.#learnWindow(window, { fromMs, toMs }, asking, nowMs),
      isSearchable(sender) && this.#learn(this.#sender, { query: sender }, 'sender', asking, nowMs),
      isSearchable(requestTxHash) &&
        this.#learn(this.#sameTransaction, { query: requestTxHash }, 'sameTransaction', asking, nowMs),
    ]);
  }

  /** The network and the pending rows are kept for longer than the rest: not when they are of another log. */
  async #renewOtherLog(row: ListedRecord, asking: Asking, nowMs: number): Promise<void> {
    const { network, askForPending } = this.#edges;
    const { seen } = network;
    const around = this.#around;
    if (seen !== undefined && around !== undefined && isOtherLog(seen, around)) {
      network.forget();
      await network.look(asking, nowMs, 'latest');
    }
    if (isPending(row) && this.pendingFor(row).kind === 'missing') askForPending('latest');
  }

  /** E2, where all of it was seen. */
  get #around(): RowsOfStretch | undefined {
    const { piece } = this.#window;
    if (piece.kind === 'missing' || unseen(piece.value) > 0) return undefined;
    return { ...piece.value, toMs: Math.min(piece.value.toMs, knownUntil(piece.atMs)) };
  }

  async #learnWindow(
    filter: LogFilter,
    bounds: { fromMs: number; toMs: number },
    asking: Asking,
    nowMs: number,
  ): Promise<void> {
    const learnt = await this.#rows(filter, 'window', asking, nowMs);
    const window = learnt.ok ? ok({ ...learnt.value, value: { ...learnt.value.value, ...bounds } }) : learnt;
    this.#window.learn(window, nowMs);
  }

  async #learn(
    piece: KeptPiece<FoundRecords>,
    filter: LogFilter,
    kind: keyof typeof MOST,
    asking: Asking,
    nowMs: number,
  ): Promise<void> {
    piece.learn(await this.#rows(filter, kind, asking, nowMs), nowMs);
  }

  async #rows(
    filter: LogFilter,
    kind: keyof typeof MOST,
    asking: Asking,
    nowMs: number,
  ): Promise<Outcome<Learnt<FoundRecords>>> {
    asking.plan(1);
    const limit = MOST[kind];
    const page = await asking.ask(LABELS[kind], (priority) =>
      this.#edges.source.page(filter, limit, 0, priority),
    );
    const query = queryText(filter, Math.min(limit, 1000), 0);
    return page.ok ? ok({ value: foundOn(page.value), query, atMs: nowMs }) : page;
  }

  get found(): FoundRequest {
    return foundRequest(this.#asked, this.#sameNumber.piece, this.#edges.pending);
  }

  /** Whether a first look has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get progress() {
    return this.#asking?.progress;
  }

  /** Of the network: how long requests take there. */
  get finished(): Evidence['finished'] {
    return this.#edges.network.finished;
  }

  /** E1, unless it is of long ago, or of another log than what was seen around the request. */
  pendingFor(row: ListedRecord): Piece<RowsFound> {
    if (!isPending(row)) return missing('asked for while a request is pending');
    const piece = this.#edges.pending();
    if (piece.kind === 'missing') return piece;
    const isOld = this.#edges.now() - piece.atMs >= PENDING_KEPT_MS;
    return isOld || this.#isOfOtherLog(piece) ? missing('being asked for') : piece;
  }

  #isOfOtherLog(pending: Piece<RowsFound> & { kind: 'known' }): boolean {
    const window = this.#window.piece;
    const known = this.#compared;
    if (known?.pending === pending && known.window === window) return known.isOther;
    const around = this.#around;
    const isOther = around !== undefined && isOtherPending(pending, around, this.#asked.networkId);
    this.#compared = { pending, window, isOther };
    return isOther;
  }

  evidenceOf(row: ListedRecord): Evidence {
    const { network } = this.#edges;
    return {
      pending: this.pendingFor(row),
      window: this.#window.piece,
      sender: this.#sender.piece,
      sameNumber: this.#sameNumber.piece,
      sameTransaction: this.#sameTransaction.piece,
      newest: network.newest,
      lastDay: network.lastDay,
      finished: network.finished,
    };
  }

  /** What the last look did not bring, of what a diagnosis of this row may ask for. */
  missingOf(row: ListedRecord | undefined): MissingPiece[] {
    const own: [string, KeptPiece<unknown>][] = [
      [LABELS.sameNumber, this.#sameNumber],
      ...(row === undefined ? [] : ([[LABELS.window, this.#window]] as [string, KeptPiece<unknown>][])),
      ...(isSearchable(row?.sender)
        ? ([[LABELS.sender, this.#sender]] as [string, KeptPiece<unknown>][])
        : []),
      ...(isSearchable(row?.requestTxHash)
        ? ([[LABELS.sameTransaction, this.#sameTransaction]] as [string, KeptPiece<unknown>][])
        : []),
    ];
    const pending = row !== undefined && isPending(row) ? this.pendingFor(row) : undefined;
    return [
      ...own.flatMap(([what, piece]) => missingPiece(what, piece)),
      ...(pending?.kind === 'missing' ? [{ what: 'All pending requests', why: pending.why }] : []),
      ...this.#missingOfNetwork(),
    ];
  }

  #missingOfNetwork(): MissingPiece[] {
    const { network } = this.#edges;
    const failures = network.troubles.map(({ what, failure }) => ({ what, why: whyOf(failure) }));
    if (failures.length > 0) return failures;
    return network.newest.kind === 'missing'
      ? [{ what: 'Newest requests', why: network.newest.why }]
      : network.lastDay.kind === 'missing'
        ? [{ what: 'Requests of the last 24 hours', why: network.lastDay.why }]
        : [];
  }
}

const LABELS: Record<keyof typeof MOST, string> = {
  window: 'Requests around it',
  sender: 'Requests of its sender',
  sameNumber: 'Requests with its number',
  sameTransaction: 'Requests of its transaction',
};

function missingPiece(what: string, { piece, failure, keptFromMs }: KeptPiece<unknown>): MissingPiece[] {
  if (keptFromMs !== undefined && failure !== undefined) {
    return [{ what, why: `${whyOf(failure)}; what is known is from ${isoOf(keptFromMs)}` }];
  }
  return piece.kind === 'missing' ? [{ what, why: piece.why }] : [];
}

/** The service takes an address or a hash; what a stranger wrote instead would be refused. */
function isSearchable(hex: string | undefined): hex is string {
  return hex !== undefined && /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i.test(hex);
}
