import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import { SandboxClock } from './clock';
import type { RewriteListener, SandboxOptions } from './parts';
import { SANDBOX_KEY } from './service';
import type { RunningSandbox } from './start';

export { type RunningSandbox, SANDBOX_KEY };

/** Answered with nothing, or with an error. */
export type RewriteMessage = { order: string; answer: MessagePort };

/** Starts the sandbox in a separate thread, so that simulated services do not block their clients. */
export async function startSandbox(options: Omit<SandboxOptions, 'now'>): Promise<RunningSandbox> {
  const clockState = new Float64Array(new SharedArrayBuffer(SandboxClock.STATE_BYTES));
  const clock = new SandboxClock(Date.now, clockState);
  const listeners: RewriteListener[] = [];
  const workerData: SandboxOptions = { ...options, clockState };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
  const [{ origin, addresses }] = (await once(worker, 'message')) as [
    Pick<RunningSandbox, 'origin' | 'addresses'>,
  ];
  // Without its simulation a sandbox has nothing to show. Next would log the error and continue.
  worker.once('error', (error) => {
    console.error('The sandbox broke down:', error);
    process.exit(1);
  });
  worker.on('message', ({ order, answer }: RewriteMessage) => {
    Promise.all(listeners.map((listener) => listener(order)))
      .then(() => undefined, String)
      .then((problem) => {
        answer.postMessage(problem);
        answer.close();
      });
  });
  return {
    origin,
    addresses,
    now: () => clock.now(),
    onRewrite: (listener) => listeners.push(listener),
    close: async () => {
      await worker.terminate();
    },
  };
}
