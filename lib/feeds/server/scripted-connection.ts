import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import type { OpenStream } from './connection';
import { Connection } from './connection';
import { ManualTimers } from './manual-timers';
import { ScriptedStream } from './scripted-stream';

export const down: Failure = { kind: 'failing', service: 'updates', detail: 'The service said 503.' };

/** For tests: a connection to a service that answers as scripted: streams, failures, or nothing before it is told. */
export function connect(script: (Failure | 'stream' | 'hang' | 'throw')[] = []) {
  const timers = new ManualTimers();
  const streams: ScriptedStream[] = [];
  const told: string[] = [];
  const attempts: { atMs: number; signal: AbortSignal; answer: (outcome: Outcome<OpenStream>) => void }[] =
    [];
  const startMs = timers.now();
  const open = (signal: AbortSignal): Promise<Outcome<OpenStream>> => {
    const step = script.shift() ?? 'stream';
    return new Promise((resolve, reject) => {
      attempts.push({ atMs: timers.now() - startMs, signal, answer: resolve });
      if (step === 'throw') reject(new Error('a bug'));
      else if (step === 'stream') {
        const stream = new ScriptedStream();
        streams.push(stream);
        resolve(ok(stream));
      } else if (step !== 'hang') resolve(failed(step));
    });
  };
  const connection = new Connection(
    open,
    {
      event: ({ data }) => {
        if (data === 'throw') throw new Error('a bug');
        told.push(`event ${data}`);
        return data !== 'bad';
      },
      serviceError: (text) => told.push(`error ${text}`),
      opened: (cause) => told.push(`opened ${cause}`),
      over: (failure) => told.push(failure === undefined ? 'ended' : `lost ${failure.kind}`),
      attemptFailed: (failure) => told.push(`attempt failed ${failure.kind}`),
      state: ({ state, failure }) => told.push(failure ? `${state} ${failure.kind}` : state),
      bug: () => told.push('bug'),
    },
    { timers, random: () => 0.5 },
  );
  const last = () => streams[streams.length - 1] as ScriptedStream;
  return { connection, timers, streams, told, attempts, last };
}
