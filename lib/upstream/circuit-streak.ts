import type { Failure, FailureKind } from '@/lib/domain/outcome';

/** So many failures of the same sort in a row, and the service is down: asking on tells nothing new. */
export const ALIKE_TO_OPEN = 5;
/** A service that fails each time in another way gets more chances: it does something, and each answer says what. */
export const MIXED_TO_OPEN = 20;

/** Failures that a service which works does not cause, whatever it is asked. */
const COUNTED: ReadonlySet<FailureKind> = new Set(['failing', 'unreachable', 'timeout', 'malformed']);

/** Whether a call's end speaks against the service itself. A refused question, a key or a limit shows that it works. */
export function isOutage({ kind }: Failure): boolean {
  return COUNTED.has(kind);
}

/** Whether a call's end says nothing of the service: its answer was given up here, before it was known what it is. */
export function isUntold({ kind }: Failure): boolean {
  return kind === 'too-many';
}

/**
 * Failures of a service in a row, without a success between them. Bounded: two counts, the last failure, and the patterns
 * of the routes that failed.
 */
export class FailureStreak {
  #inRow = 0;
  #alike = 0;
  #last: Failure | undefined;
  readonly #routes = new Set<string>();

  get inRow(): number {
    return this.#inRow;
  }

  get last(): Failure | undefined {
    return this.#last;
  }

  add(route: string, failure: Failure): void {
    this.#inRow += 1;
    this.#alike = this.#last !== undefined && isAlike(this.#last, failure) ? this.#alike + 1 : 1;
    this.#last = failure;
    this.#routes.add(route);
  }

  /** Whether the service is to be left in peace. */
  isLongEnough(): boolean {
    return this.#alike >= ALIKE_TO_OPEN || this.#inRow >= MIXED_TO_OPEN;
  }

  /** Whether this route is among those that failed; of another one nothing is known. */
  has(route: string): boolean {
    return this.#routes.has(route);
  }

  clear(): void {
    this.#inRow = 0;
    this.#alike = 0;
    this.#last = undefined;
    this.#routes.clear();
  }
}

/** Of a status the sentence may name a wait, which differs each time. */
function isAlike(one: Failure, other: Failure): boolean {
  if (one.kind !== other.kind || one.upstreamStatus !== other.upstreamStatus) return false;
  return one.upstreamStatus !== undefined || one.detail === other.detail;
}
