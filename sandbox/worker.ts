import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import type { SandboxOptions } from './parts';
import { startSandbox } from './start';
import type { RewriteMessage } from './thread';

const sandbox = await startSandbox(workerData as SandboxOptions);
sandbox.onRewrite((order) => {
  const { port1, port2 } = new MessageChannel();
  parentPort?.postMessage({ order, answer: port2 } satisfies RewriteMessage, [port2]);
  return new Promise((resolve, reject) => {
    port1.once('message', (problem) => (problem === undefined ? resolve() : reject(new Error(problem))));
  });
});
parentPort?.postMessage({ origin: sandbox.origin, addresses: sandbox.addresses });
