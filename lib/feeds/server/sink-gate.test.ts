import { describe, expect, it } from 'vitest';
import { ListSink } from './list-sink';
import { ManualTimers } from './manual-timers';
import { SinkGate, STALL_MS } from './sink-gate';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the gate before a reader', () => {
  it('takes nothing while the buffer of the reader is full', () => {
    const sink = new ListSink();
    const gate = new SinkGate(sink, new ManualTimers(), () => {});
    sink.stall();
    expect(gate.write(bytes('a'))).toBe(true);
    expect(gate.write(bytes('b'))).toBe(false);
    expect(sink.chunks).toEqual(['a']);
  });

  it('says when the reader has caught up, and lets bytes through again', () => {
    const sink = new ListSink();
    const timers = new ManualTimers();
    const gate = new SinkGate(sink, timers, () => gate.write(bytes('held')));
    sink.stall();
    gate.write(bytes('a'));
    sink.drain();
    expect(sink.chunks).toEqual(['a', 'held']);
    expect(timers.pending).toBe(0);
  });

  it('cuts a reader that stays full', async () => {
    const sink = new ListSink();
    const timers = new ManualTimers();
    const gate = new SinkGate(sink, timers, () => {});
    sink.stall();
    gate.write(bytes('a'));
    await timers.advance(STALL_MS - 1);
    expect(sink.state).toBe('open');
    await timers.advance(1);
    expect(sink.state).toBe('destroyed');
  });

  it('leaves no timer behind when the reader goes away while it is full', () => {
    const sink = new ListSink();
    const timers = new ManualTimers();
    const gate = new SinkGate(sink, timers, () => {});
    sink.stall();
    gate.write(bytes('a'));
    gate.close();
    expect(timers.pending).toBe(0);
  });
});
