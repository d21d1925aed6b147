import { describe, expect, it } from 'vitest';
import { connectionState, streamWords } from './stream-words';

const failed = (kind: string, detail: string) =>
  streamWords({ kind: 'failed', trouble: { kind, detail } }, 0);

describe('what is said about the stream', () => {
  it('says what failed, what is still shown and what to do, each once', () => {
    expect(
      failed('unauthorized', 'The price update service rejected our key (401). Check UPDATES_API_KEY.')
        .sentence,
    ).toBe(
      'The price update service rejected our key (401). Check UPDATES_API_KEY. Prices shown are the last received.',
    );
    expect(failed('unreachable', '').sentence).toBe(
      'The price update service can’t be reached. Prices shown are the last received. Check UPDATES_URL and the network.',
    );
  });

  it('puts the words of a service behind ours', () => {
    expect(failed('rejected', 'Failed to deserialize query string').sentence).toContain(
      'The price update service refused the request: Failed to deserialize query string.',
    );
  });

  it('leaves the seconds of a rate limit to the countdown', () => {
    const words = streamWords(
      { kind: 'failed', trouble: { kind: 'rate-limited', detail: 'Possible in 12 s.' }, retryAtMs: 12_000 },
      0,
    );
    expect(words.sentence).not.toContain('12 s');
    expect(words.retryAtMs).toBe(12_000);
  });

  it('shows a kind of failure that it does not know by its name', () => {
    expect(failed('melted', '').sentence).toContain('(melted)');
  });

  it('does not call a stream quiet that was opened just now', () => {
    const quiet = (nowMs: number) => streamWords({ kind: 'quiet', sinceMs: 10_000 }, nowMs).word;
    expect([quiet(10_500), quiet(15_000)]).toEqual(['Connected', 'Connected, no updates']);
  });

  it('tells the dashboard that is lost from the service that is lost', () => {
    expect(streamWords({ kind: 'cut' }, 0).word).toBe('Dashboard unreachable');
    expect(streamWords({ kind: 'reconnecting' }, 0).word).toBe('Reconnecting');
  });

  it('says what frees a stream when there are too many', () => {
    const { sentence } = streamWords(
      { kind: 'refused', trouble: { kind: 'too-many', detail: 'This browser has too many streams.' } },
      0,
    );
    expect(sentence).toContain('Close other tabs');
  });
});

describe('the state of the stream for styles and tests', () => {
  it('is that of the wire, whichever half of the way is broken', () => {
    expect(connectionState({ kind: 'live' })).toBe('live');
    expect(connectionState({ kind: 'cut' })).toBe('reconnecting');
    expect(connectionState({ kind: 'refused', trouble: { kind: 'too-many', detail: '' } })).toBe('failed');
  });

  it('is none while no prices are wanted', () => {
    expect(connectionState({ kind: 'idle' })).toBeUndefined();
    expect(connectionState({ kind: 'paused' })).toBeUndefined();
  });
});
