import 'server-only';
import { missing, type Piece } from '@/lib/domain/diagnosis/evidence';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { NOBODY_LOOKS } from './asking';

/** A piece whose last question failed is used for so long: better than nothing, as long as it says of when it is. */
const KEPT_MS = 120_000;

/** What was learnt, the query behind it, and unix ms. */
export type Learnt<T> = { value: T; query: string; atMs: number };

/** A piece of evidence that is asked for again and again. */
export class KeptPiece<T> {
  #piece: Piece<T> = missing('being asked for');
  #failure: Failure | undefined;

  get piece(): Piece<T> {
    return this.#piece;
  }

  /** Why the last question brought nothing; undefined when it did. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Unix ms of what is known although the last question failed; undefined when nothing is. */
  get keptFromMs(): number | undefined {
    return this.#failure !== undefined && this.#piece.kind === 'known' ? this.#piece.atMs : undefined;
  }

  learn(learnt: Outcome<Learnt<T>>, nowMs: number): void {
    if (learnt.ok) this.know(learnt.value);
    else this.fail(learnt.failure, nowMs);
  }

  know(learnt: Learnt<T>): void {
    this.#piece = { kind: 'known', ...learnt };
    this.#failure = undefined;
  }

  /** It was of something else: it is as if nobody had asked. */
  forget(): void {
    this.#piece = missing('being asked for');
    this.#failure = undefined;
  }

  /** Known in part: it stands until there is more, and the failure with it. */
  knowPart(learnt: Learnt<T>, failure: Failure | undefined): void {
    this.#piece = { kind: 'known', ...learnt };
    this.#failure = failure;
  }

  fail(failure: Failure, nowMs: number): void {
    if (failure === NOBODY_LOOKS) return;
    this.#failure = failure;
    if (!this.isKept(nowMs)) this.#piece = missing(whyOf(failure));
  }

  /** Whether what is known may stand although the last question failed. */
  isKept(nowMs: number): boolean {
    return this.#piece.kind === 'known' && nowMs - this.#piece.atMs < KEPT_MS;
  }

  /** Whether it was never asked with success, or longer ago than this. */
  isOlderThan(ms: number, nowMs: number): boolean {
    return this.#piece.kind === 'missing' || this.#failure !== undefined || nowMs - this.#piece.atMs >= ms;
  }
}

/** A failure as the end of a sentence that began. */
export function whyOf({ detail }: Failure): string {
  return detail.replace(/\.$/, '');
}

/** The piece with what `change` makes of its value. */
export function pieceOf<T, U>(piece: Piece<T>, change: (value: T) => U): Piece<U> {
  return piece.kind === 'known' ? { ...piece, value: change(piece.value) } : piece;
}
