import { expect, it } from 'vitest';
import { ScriptedSource } from '@/lib/core/event-source-fixture';
import { ManualTimers } from '@/lib/core/timers-fixture';
import { listen } from './revision-stream';

const NEWS = { revision: 1, nowMs: 0, index: [], pending: {} };

function stage() {
  const timers = new ManualTimers();
  const sources: ScriptedSource[] = [];
  const gone = new AbortController();
  const received: number[] = [];
  const deps = {
    now: () => timers.now(),
    after: (ms: number, run: () => void) => timers.after(ms, run),
    random: () => 0,
    create: (url: string) => {
      const source = new ScriptedSource(url);
      sources.push(source);
      return source;
    },
  };
  listen(deps, gone.signal, ({ revision }) => received.push(revision));
  const open = () => sources.filter(({ readyState }) => readyState !== 2).length;
  return { timers, sources, gone, received, open };
}

it('the revision stream is reopened after two missed heartbeats', () => {
  const { timers, sources, gone, received, open } = stage();
  for (let beat = 0; beat < 10; beat += 1) {
    timers.pass(15_000);
    sources[0]?.send('heartbeat', {});
  }
  sources[0]?.send('message', NEWS);
  expect([sources.length, received]).toEqual([1, [1]]);
  timers.pass(29_000);
  expect(sources).toHaveLength(1);
  timers.pass(5_000);
  expect([sources.length, open()]).toEqual([2, 1]);
  sources[0]?.send('message', { ...NEWS, revision: 2 });
  sources[1]?.send('message', { ...NEWS, revision: 3 });
  expect(received).toEqual([1, 3]);
  gone.abort();
  expect([open(), timers.pending]).toEqual([0, 0]);
});

it('the revision stream is reopened a second after a refusal, and at once after a sleep', () => {
  const { timers, sources, open } = stage();
  sources[0]?.fail(2);
  timers.pass(999);
  expect(sources).toHaveLength(1);
  timers.pass(1);
  expect([sources.length, open()]).toEqual([2, 1]);
  timers.nowMs += 60_000;
  timers.pass(0);
  expect([sources.length, open()]).toEqual([3, 1]);
});
