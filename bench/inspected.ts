import type { ChildProcess } from 'node:child_process';
import { WebSocket } from 'undici';

type Answer = { id?: number; result?: { result?: { value?: unknown } }; error?: { message: string } };

/** What a process says of itself. Bytes, and counts. */
export type Inside = {
  /** What the program holds: the heap without compiled code. */
  heapBytes: number;
  /** Machine code and bytecode with what belongs to it: V8 goes on compiling for hours, whatever the program holds. */
  codeBytes: number;
  /** Buffers, which are not on the heap. */
  externalBytes: number;
  /** What keeps the process awake, by kind: timers, sockets, servers. */
  handles: Record<string, number>;
  /** Answers to requests, signals and timers that something still holds, also where they keep nothing awake. */
  answers: number;
  signals: number;
  timers: number;
  /** Listeners of the process itself, where a leak shows as a warning. */
  listeners: number;
};

/** Evaluated in the process. Each count of objects is a collection of garbage of its own. */
const LOOK = `(() => {
  const { queryObjects, getHeapCodeStatistics } = process.getBuiltinModule('node:v8');
  const { ServerResponse } = process.getBuiltinModule('node:http');
  const { heapUsed, external } = process.memoryUsage();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const handles = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const answers = queryObjects(ServerResponse);
  const signals = queryObjects(AbortSignal);
  const one = setTimeout(() => {}, 0);
  clearTimeout(one);
  const timers = queryObjects(one.constructor);
  const sizes = { heapBytes: heapUsed - codeBytes, codeBytes, externalBytes: external };
  return { ...sizes, handles, answers, signals, timers, listeners };
})()`;

/** A look into a Node process through its inspector; it was started with `--inspect`. */
export class Inspected {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #asked = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const answer: Answer = JSON.parse(String(data));
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** @param port of the inspector of that process */
  static async open(port: number): Promise<Inspected> {
    const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new Inspected(socket);
  }

  /** After two collections: what the first one finalizes the second one frees. */
  async look(): Promise<Inside> {
    await this.#ask('HeapProfiler.collectGarbage');
    await this.#ask('HeapProfiler.collectGarbage');
    const { result } = await this.#ask('Runtime.evaluate', { expression: LOOK, returnByValue: true });
    return result?.result?.value as Inside;
  }

  close(): void {
    this.socket.close();
  }

  #ask(method: string, params: object = {}): Promise<Answer> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) =>
        answer.error ? reject(new Error(`${method}: ${answer.error.message}`)) : resolve(answer),
      );
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

/** The process id, for what the kernel knows of a process. */
export function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process was not started');
  return pid;
}
