import type { ServerResponse } from 'node:http';
import { replyText } from '@/sandbox/service';

/** An answer of 4xx with a plain text that says why. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** Runs an answer; a Refusal becomes its status and plain text. */
export function refusing(res: ServerResponse, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    replyText(res, error.status, error.message);
  }
}
