import { describe, expect, it } from 'vitest';
import { settle } from './manual-timers';
import { connect } from './scripted-connection';
import { NOT_LIVE_AFTER_MS, QUIET_AFTER_MS } from './update-watch';

describe('a connection without updates', () => {
  it('is not called live by comments, nor by events that cannot be read', async () => {
    const { connection, last } = connect();
    await connection.start();
    last().send(':\n\ndata: bad\n\n');
    await settle();
    expect(connection.state.state).toBe('quiet');
  });

  it('turns quiet when only comments come for a while', async () => {
    const { connection, timers, last } = connect();
    await connection.start();
    last().send('data: 1\n\n');
    await timers.advance(QUIET_AFTER_MS - 1);
    last().send(':\n\n');
    await settle();
    expect(connection.state.state).toBe('live');
    await timers.advance(1);
    last().send(':\n\n');
    await settle();
    expect(connection.state.state).toBe('quiet');
  });

  it('is not called live when nothing comes at all, and says since when', async () => {
    const { connection, timers, last } = connect();
    await connection.start();
    last().send('data: 1\n\n');
    await settle();
    const lastUpdateMs = timers.now();
    await timers.advance(NOT_LIVE_AFTER_MS - 1);
    expect(connection.state.state).toBe('live');
    await timers.advance(1);
    expect(connection.state).toMatchObject({
      state: 'quiet',
      sinceMs: lastUpdateMs,
      failure: { kind: 'timeout' },
    });
    last().send(':\n\n');
    await settle();
    expect(connection.state).toEqual({ state: 'quiet', sinceMs: lastUpdateMs });
    last().send('data: 2\n\n');
    await settle();
    expect(connection.state.state).toBe('live');
    connection.stop();
    expect(timers.pending).toBe(0);
  });
});
