import 'server-only';
import { write, writeSync } from 'node:fs';

/** Takes whole lines of printable ASCII, so that a character is a byte. */
export type LineSink = { write(line: string): void };

/** What it touches outside. `write` and `writeNow` say how many bytes were taken; both may fail with EAGAIN: full. */
export type OutputEdges = {
  write(text: string, done: (error: NodeJS.ErrnoException | null, bytes: number) => void): void;
  writeNow(text: string): number;
  after(ms: number, run: () => void): void;
  /** In ms. */
  now(): number;
  /** With everything standing still. */
  sleep(ms: number): void;
  /** At the very end; what still waits for a thread then would wait for ever. */
  giveUp(): void;
};

/** What waits for a reader that has stopped reading. Lines beyond it are dropped: we are not stopped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Lines go out together, which costs a fraction: so many bytes of them, or what there is after so many milliseconds. */
const TOGETHER_BYTES = 16 * 1024;
const TOGETHER_MS = 100;
/** A reader that has taken nothing for so long takes nothing more. */
const STOPPED_MS = 2000;
/** How long the end of the process waits for a reader that is full, and how often it looks. */
const LAST_LINES_MS = 1000;
const LOOK_AGAIN_MS = 20;

/**
 * Lines on their way to a reader, for whom nothing waits: not the requests, and not the end of the process, at which what is
 * left is still written. A reader that is gone, or a full disk, ends the log and nothing else. Pino's own destination would
 * try for ever at the end, whatever the error.
 */
export class LineOutput implements LineSink {
  readonly #edges: OutputEdges;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #underWay = '';
  #takenAtMs = 0;
  /** `writing`: a thread is at it. `full`: it could not, and will try again. */
  #state: 'idle' | 'due' | 'writing' | 'full' | 'gone' = 'idle';

  constructor(edges: OutputEdges) {
    this.#edges = edges;
  }

  write(line: string): void {
    if (this.#state === 'gone' || this.#waitingBytes + line.length > MOST_WAITING_BYTES) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#state === 'writing' || this.#state === 'full') return;
    if (this.#waitingBytes >= TOGETHER_BYTES) this.#begin();
    else if (this.#state === 'idle') {
      this.#state = 'due';
      this.#edges.after(TOGETHER_MS, () => this.#state === 'due' && this.#begin());
    }
  }

  /** Writes what is left, with everything standing still, and comes back within a second. For the end of the process. */
  end(): void {
    if (this.#state === 'gone') return;
    const beganMs = this.#edges.now();
    if (this.#state === 'writing' && beganMs - this.#takenAtMs > STOPPED_MS) this.#edges.giveUp();
    // What a thread has in its hands is its own to finish.
    const again = this.#state === 'full' ? this.#underWay : '';
    let rest = again + this.#waiting.join('');
    while (rest !== '' && this.#edges.now() - beganMs < LAST_LINES_MS) {
      try {
        rest = rest.slice(this.#edges.writeNow(rest));
      } catch (error) {
        if (!isFull(error)) return;
        this.#edges.sleep(LOOK_AGAIN_MS);
      }
    }
  }

  #begin(): void {
    this.#takenAtMs = this.#edges.now();
    this.#underWay = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingBytes = this.#underWay.length;
    this.#continue();
  }

  #continue(): void {
    this.#state = 'writing';
    this.#edges.write(this.#underWay, (error, bytes) => {
      if (error && isFull(error)) this.#tryLater();
      else if (error) this.#leave();
      else this.#took(bytes);
    });
  }

  #tryLater(): void {
    this.#state = 'full';
    this.#edges.after(TOGETHER_MS, () => this.#continue());
  }

  #took(bytes: number): void {
    this.#takenAtMs = this.#edges.now();
    this.#underWay = this.#underWay.slice(bytes);
    this.#waitingBytes -= bytes;
    if (this.#underWay !== '') this.#continue();
    else if (this.#waiting.length > 0) this.#begin();
    else this.#state = 'idle';
  }

  #leave(): void {
    this.#state = 'gone';
    this.#waiting = [];
    this.#underWay = '';
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

const STANDARD_OUTPUT = 1;

/** The log's way out of this process. */
export function standardOutput(): LineSink {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const output = new LineOutput({
    write: (text, done) => write(STANDARD_OUTPUT, text, null, 'latin1', done),
    writeNow: (text) => writeSync(STANDARD_OUTPUT, text, null, 'latin1'),
    after: (ms, run) => void setTimeout(run, ms).unref(),
    now: () => performance.now(),
    sleep: (ms) => void Atomics.wait(nothing, 0, 0, ms),
    giveUp: () => void process.kill(process.pid, 'SIGKILL'),
  });
  process.once('exit', () => output.end());
  return output;
}
