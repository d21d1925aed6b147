import { describe, expect, it } from 'vitest';
import type { FeedLink } from '@/lib/feeds/client/stream';
import { connectionState, streamWords } from './stream-words';

const words = (link: FeedLink, nowMs = 0) => streamWords(link, nowMs, (ms) => `second ${ms / 1000}`);
const failed = (kind: string, detail: string) => words({ kind: 'failed', trouble: { kind, detail } });

describe('what is said about the stream', () => {
  it('says what failed, what is still shown and what to do, each once', () => {
    expect(
      failed('unauthorized', 'The price update service rejected our key (401). Check UPDATES_API_KEY.')
        .sentence,
    ).toMatch(
      /^The price update service rejected our key \(401\)\. Check UPDATES_API_KEY\. .* last received\./,
    );
    const unreachable = failed('unreachable', '').sentence;
    expect(unreachable).toMatch(/can’t be reached\. .*last received\. Check UPDATES_URL/);
    expect(failed('newer', 'x').sentence).toContain('has trouble (newer)');
  });

  it('leaves the seconds of a rate limit to the countdown', () => {
    const limited = words({
      kind: 'failed',
      trouble: { kind: 'rate-limited', detail: 'Possible in 12 s.' },
      retryAtMs: 12_000,
    });
    expect(limited.sentence).not.toContain('12 s');
    expect(limited.retryAtMs).toBe(12_000);
  });

  it('does not call a stream quiet that was opened just now', () => {
    const quiet = (nowMs: number) =>
      words({ kind: 'quiet', sinceMs: 10_000, after: 'opening', sign: 'alive' }, nowMs).word;
    expect([quiet(10_500), quiet(15_000)]).toEqual(['Connected', 'Connected, no updates']);
  });

  it('tells a service that only says that it is there from a way that may be dead, and since when', () => {
    const quiet = (sign: 'alive' | 'none') =>
      words({ kind: 'quiet', sinceMs: 10_000, after: 'prices', sign }, 10_500);
    expect(quiet('alive').word).toBe('Connected, no updates');
    expect(quiet('alive').sentence).toMatch(
      /^No update has come since second 10: the price update service is/,
    );
    expect(quiet('none').word).toBe('No updates');
    expect(quiet('none').sentence).toMatch(/^No update has come since second 10\. If the connection is dead/);
  });

  it('says that no service is configured, and does not speak of prices that were never there', () => {
    const trouble = { kind: 'unconfigured', detail: 'No URL is set for this service. Set UPDATES_URL.' };
    const { word, sentence, tone } = words({ kind: 'refused', trouble });
    expect([word, tone]).toEqual(['No service configured', 'idle']);
    expect(sentence).toContain('Set UPDATES_URL and UPDATES_API_KEY');
    expect(sentence).not.toContain('last received');
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
