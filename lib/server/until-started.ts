import 'server-only';
import type { ServerResponse } from 'node:http';
import { problem } from '@/lib/core/problem';
import { writeProblem } from './stream-response';

/** So long a request waits for the start; in good order another process gives the index up sooner. */
const WAIT_MS = 15_000;
/** Requests that wait at once; each is a connection. */
const MOST_WAITING = 1000;
/** When to come back whoever was not let in, in seconds. */
const RETRY_AFTER_S = 2;

/** Lets requests wait for the end of the start, in the order in which they came. */
export class UntilStarted {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(started: Promise<unknown>) {
    // A start that fails ends the process.
    started.then(
      () => this.#goOn(),
      () => this.end(),
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls `go` when all is started, or answers that it takes longer. */
  wait(response: ServerResponse, go: () => void): void {
    if (this.#waiting.size >= MOST_WAITING) {
      refuse(response);
      return;
    }
    const leave = () => {
      clearTimeout(timer);
      this.#waiting.delete(next);
    };
    const next = () => {
      leave();
      if (this.#isOver) go();
      else refuse(response);
    };
    const timer = setTimeout(next, WAIT_MS);
    this.#waiting.add(next);
    response.once('close', leave);
  }

  /** The process ends before it has started: nobody waits on. */
  end(): void {
    for (const next of [...this.#waiting]) next();
  }

  #goOn(): void {
    this.#isOver = true;
    for (const next of [...this.#waiting]) next();
  }
}

function refuse(response: ServerResponse): void {
  const detail = 'The dashboard is starting: it waits for another process to give the index up.';
  const starting = { ...problem('starting', detail), retryAfterS: RETRY_AFTER_S };
  writeProblem(response, starting, { connection: 'close' });
}
