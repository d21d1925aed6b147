import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventedId } from './feeds';
import { NOON_MS, type PriceHarness, startPriceHarness } from './price-harness';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const SILENT = inventedId(6);
const STREAM = '/updates/v2/updates/price/stream';

let sandbox: PriceHarness;
beforeEach(async () => {
  sandbox = await startPriceHarness();
});
afterEach(() => sandbox.close());

/** `upTo` resolves with all text so far as soon as it satisfies the condition. */
async function open(query: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${sandbox.origin}${STREAM}?${query}`, resolve).on('error', reject);
  });
  let text = '';
  const waiting: (() => void)[] = [];
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const check of waiting) check();
  });
  const ended = new Promise<string>((resolve) => response.on('end', () => resolve(text)));
  const upTo = (holds: (text: string) => boolean) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (holds(text)) resolve(text);
      };
      waiting.push(check);
      check();
    });
  return {
    response,
    ended,
    upTo,
    events: (count: number) => upTo((it) => frames(it).length >= count).then(frames),
  };
}

/** Events of more than 100 kB. */
async function everyId(): Promise<string> {
  const directory = await (await fetch(`${sandbox.origin}/updates/v2/price_feeds`)).json();
  return directory.map(({ id }: { id: string }) => `ids[]=${id}`).join('&');
}

function frames(text: string) {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((frame) => frame.startsWith('data:'))
    .map((frame) => JSON.parse(frame.slice('data:'.length)));
}

describe('GET /v2/updates/price/stream', () => {
  it('sends unordered updates only to those who allow them', async () => {
    const slotsOf = async (query: string, count: number) => {
      const stream = await open(`ids[]=${BTC}${query}`);
      return { slots: async () => (await stream.events(count)).map(({ parsed }) => parsed[0].metadata.slot) };
    };
    const ordered = await slotsOf('', 10);
    const unordered = await slotsOf('&allow_unordered=true', 11);
    sandbox.advance(4000);
    const falls = (slots: number[]) => slots.filter((slot, i) => i > 0 && slot < (slots[i - 1] ?? 0)).length;
    expect(falls(await ordered.slots())).toBe(0);
    expect(falls(await unordered.slots())).toBe(1);
  });

  it('sends a comment every 15 s while there are no events, even with a stopped clock', async () => {
    const stream = await open(`ids[]=${SILENT}`);
    sandbox.clock.set({ stopped: true });
    sandbox.advance(31_000);
    expect(await stream.upTo((text) => text.length >= 6)).toBe(':\n\n:\n\n');
  });

  it('closes after 24 hours of its clock, with the reason as a named event', async () => {
    const stream = await open(`ids[]=${SILENT}`);
    sandbox.clock.set({ ms: NOON_MS + 24 * 3_600_000 - 1000 });
    expect(sandbox.streams.streamsOf('updates').length).toBe(1);
    sandbox.advance(1000);
    expect(await stream.ended).toBe('event: error\ndata: Connection timeout reached (24h)\n\n');
    expect(sandbox.streams.streamsOf('updates').length).toBe(0);
  });

  it('goes on after its clock was set back, and skips to the newest after a jump', async () => {
    const stream = await open(`ids[]=${BTC}`);
    sandbox.clock.set({ ms: NOON_MS - 7_200_000 });
    sandbox.advance(400);
    sandbox.clock.set({ ms: NOON_MS + 7_200_000 });
    sandbox.advance(50);
    const events = await stream.events(3);
    const times = events.map(({ parsed }) => parsed[0].price.publish_time);
    expect(times[0]).toBe(NOON_MS / 1000 - 7200);
    expect(times.at(-1)).toBe(NOON_MS / 1000 + 7200);
    expect(times.length).toBeLessThanOrEqual(3);
  });

  it('opens no stream for a HEAD', async () => {
    const head = await fetch(`${sandbox.origin}${STREAM}?ids[]=${BTC}`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(sandbox.streams.streamsOf('*').length).toBe(0);
    expect(sandbox.isTicking()).toBe(false);
  });

  it.each([
    ['', 400],
    ['ids[]=xyz', 400],
    [`ids[]=${BTC}&benchmarks_only=1`, 400],
    [`ids[]=${BTC}&allow_unordered=`, 400],
    [`ids[]=${'f'.repeat(64)}`, 404],
  ])('answers %j with a status instead of a stream', async (query, status) => {
    const response = await fetch(`${sandbox.origin}${STREAM}?${query}`);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    await response.text();
  });

  it('notifies and drops a reader that is too slow, without affecting the others', async () => {
    const slow = await open(await everyId());
    const quick = await open(`ids[]=${BTC}`);
    while (sandbox.streams.streamsOf('updates').length === 2) sandbox.advance(50);
    expect(await slow.ended).toMatch(/event: error\ndata: Slow consumer: disconnected\n\n$/);
    const before = frames(await quick.upTo(() => true)).length;
    sandbox.advance(2000);
    expect(await quick.events(before + 5)).toHaveLength(before + 5);
  });
});
