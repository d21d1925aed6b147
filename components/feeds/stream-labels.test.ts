import { describe, expect, it } from 'vitest';
import type { FeedLink } from '@/lib/feeds/client/stream';
import { connectionState, streamLabels } from './stream-labels';

const words = (link: FeedLink, nowMs = 0, hasPrices = true) =>
  streamLabels(link, nowMs, (ms) => `second ${ms / 1000}`, hasPrices);
const failed = (kind: string, detail: string) => words({ kind: 'failed', trouble: { kind, detail } });

describe('the text about the stream', () => {
  it('names what failed, what is still shown and what to do, once each', () => {
    expect(
      failed('unauthorized', 'The price update service rejected the API key (401). Check UPDATES_API_KEY.')
        .sentence,
    ).toMatch(
      /^The price update service rejected the API key \(401\)\. Check UPDATES_API_KEY\. .* last received\./,
    );
    const unreachable = failed('unreachable', '').sentence;
    expect(unreachable).toMatch(/is unreachable\. .*last received\. Check UPDATES_URL/);
    expect(failed('newer', 'x').sentence).toContain('failing (newer)');
  });

  it('mentions no prices where there are none, and no retry that is counted down beside it', () => {
    const link = { kind: 'failed', trouble: { kind: 'failing', detail: 'It returned 503.' } } as const;
    expect(words(link, 0, false).sentence).toBe('It returned 503. Retrying with backoff.');
    expect(words({ ...link, retryAtMs: 9000 }, 0, false).sentence).toBe('It returned 503.');
    expect(words({ kind: 'silent' }, 0, false).sentence).toBe('No heartbeat from the dashboard.');
  });

  it('leaves the seconds of a rate limit to the countdown', () => {
    expect(failed('rate-limited', 'Possible in 12 s.').sentence).not.toContain('12 s');
  });

  it('does not call a stream quiet that was opened just now', () => {
    const quiet = (nowMs: number) =>
      words({ kind: 'quiet', sinceMs: 10_000, receivedAtMs: 10_000 }, nowMs).word;
    expect([quiet(10_500), quiet(15_000)]).toEqual(['Connected', 'Connected, no updates']);
  });

  it('distinguishes a service that sends only heartbeats from a connection that may be dead, and since when', () => {
    const quiet = { kind: 'quiet', sinceMs: 10_000, receivedAtMs: 0 } as const;
    expect(words(quiet, 20_000)).toMatchObject({
      word: 'Connected, no updates',
      sentence: expect.stringMatching(/^No update since second 10\./),
    });
    expect(words({ ...quiet, trouble: { kind: 'timeout', detail: '' } }, 20_000).word).toBe('No updates');
  });

  it('a stream without heartbeats is reconnecting, and its prices are the last received', () => {
    expect(words({ kind: 'silent' })).toEqual({
      tone: 'wait',
      word: 'Reconnecting',
      sentence: 'No heartbeat from the dashboard. Prices shown are the last received.',
    });
  });

  it('names a missing service, and mentions no prices that never came', () => {
    const trouble = { kind: 'unconfigured', detail: 'No URL is set for this service. Set UPDATES_URL.' };
    const { word, sentence, tone } = words({ kind: 'refused', trouble });
    expect([word, tone]).toEqual(['No service configured', 'idle']);
    expect(sentence).toBe('Set UPDATES_URL and UPDATES_API_KEY, then restart.');
  });
});

describe('the state of the stream for styles and tests', () => {
  it('is that of the connection, whichever half is down', () => {
    expect(connectionState({ kind: 'live' })).toBe('live');
    expect(connectionState({ kind: 'cut' })).toBe('reconnecting');
    expect(connectionState({ kind: 'silent' })).toBe('reconnecting');
    expect(connectionState({ kind: 'refused', trouble: { kind: 'too-many', detail: '' } })).toBe('failed');
  });

  it('is none while no feed is subscribed', () => {
    expect(connectionState({ kind: 'idle' })).toBeUndefined();
    expect(connectionState({ kind: 'paused' })).toBeUndefined();
  });
});
