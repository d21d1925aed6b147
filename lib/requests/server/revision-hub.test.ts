import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RevisionUpdate } from '@/lib/requests/keeper-status';
import { RevisionHub } from './revision-hub';

const PENDING = {
  atMs: 0,
  pending: 0,
  stuck: 0,
  worst: 'none' as const,
  acknowledged: 0,
  parked: 0,
  complete: true,
};

function hubAt() {
  const state = { revision: 1, viewers: 0, isDown: false, bugs: 0, change: () => {} };
  const hub = new RevisionHub({
    update: async (): Promise<RevisionUpdate> => {
      if (state.isDown) throw new Error('down');
      return { revision: state.revision, nowMs: 0, index: [], pending: PENDING };
    },
    onChange: (listener) => {
      state.change = listener;
      return () => {
        state.change = () => {};
      };
    },
    addViewer: () => {
      state.viewers += 1;
      return () => {
        state.viewers -= 1;
      };
    },
    reportError: () => {
      state.bugs += 1;
    },
  });
  return { hub, state };
}

function reader(takes = true) {
  const sent: string[] = [];
  const stub = {
    sent,
    isCut: false,
    send(text: string) {
      sent.push(text);
      return takes;
    },
    destroy() {
      stub.isCut = true;
    },
  };
  return stub;
}

const revisionsOf = (sent: readonly string[]) =>
  sent.flatMap((text) => (text.startsWith('data:') ? [JSON.parse(text.slice(5)).revision] : []));

describe('the stream of revisions', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('starts while the index is unavailable, sends the state later, and drops clients that left', async () => {
    const { hub, state } = hubAt();
    state.isDown = true;
    const first = reader();
    const leave = await hub.subscribe(first);
    expect([first.sent, state.bugs]).toEqual([[], 1]);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(6000);
    expect(revisionsOf(first.sent)).toEqual([1]);
    leave();
    expect(state.viewers).toBe(0);
  });

  it('sends the state at once, and changes at most once a second', async () => {
    const { hub, state } = hubAt();
    const first = reader();
    const end = await hub.subscribe(first);
    expect(revisionsOf(first.sent)).toEqual([1]);
    for (let i = 0; i < 100; i += 1) {
      state.revision += 1;
      state.change();
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1000);
    const revisions = revisionsOf(first.sent);
    expect(revisions.length).toBeLessThanOrEqual(4);
    expect(revisions.at(-1)).toBe(state.revision);
    end();
  });

  it('polls only while there is a viewer', async () => {
    const { hub, state } = hubAt();
    const ends = [await hub.subscribe(reader()), await hub.subscribe(reader())];
    expect(state.viewers).toBe(1);
    for (const end of ends) end();
    expect(state.viewers).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps idle connections open, and cuts clients that do not read', async () => {
    const { hub } = hubAt();
    const good = reader();
    const slow = reader(false);
    const ends = [await hub.subscribe(good), await hub.subscribe(slow)];
    hub.heartbeat();
    expect(good.sent).toContain('event: heartbeat\ndata: {}\n\n');
    expect([good.isCut, slow.isCut]).toEqual([false, true]);
    for (const end of ends) end();
  });
});
