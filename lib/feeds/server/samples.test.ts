import { describe, expect, it } from 'vitest';
import { readFeedSamplesLine } from '@/lib/contract/codec/feed-samples';
import { type FeedId, type FeedUpdate, parseFeedId } from '@/lib/domain/feed';
import { type FailureKind, failed, ok } from '@/lib/domain/outcome';
import type { UnixSeconds } from '@/lib/domain/units';
import { FeedSamples, type FeedSamplesEdges } from './samples';

const [A, B] = ['a', 'b'].map((digit) => parseFeedId(digit.repeat(64)) as FeedId) as [FeedId, FeedId];
const NOW_S = 1_800_000_000;
const never = new AbortController().signal;

function update(id: FeedId, t: number): FeedUpdate {
  const scaled = (mantissa: bigint) => ({ mantissa, expo: -2 });
  return { id, price: scaled(BigInt(t)), conf: scaled(5n), publishTime: t as UnixSeconds };
}

/** A service with an update every ten seconds, and none of B before `bFrom`. */
function scripted(answer?: FeedSamplesEdges['ask']) {
  const calls: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  let nowMs = NOW_S * 1000;
  const ask: FeedSamplesEdges['ask'] = async (t, ids) => {
    calls.push(`${t} ${ids.map((id) => id[0]).join('')}`);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    if (answer !== undefined) return answer(t, ids);
    const updates = ids.map((id) => update(id, Math.ceil(t / 10) * 10));
    return ok({ updates, unreadable: [], parsedPresent: true });
  };
  const samples = new FeedSamples({ ask, now: () => nowMs });
  return {
    calls,
    samples,
    mostAtOnce: () => mostAtOnce,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

async function linesOf(
  samples: FeedSamples,
  ids: readonly FeedId[],
  times: readonly number[],
  signal = never,
) {
  const lines = [];
  for await (const text of samples.lines({ ids, times }, signal)) lines.push(readFeedSamplesLine(text));
  return lines;
}

const PAST = NOW_S - 100_000;
const refusing = (kind: FailureKind) => scripted(async () => failed({ kind, detail: 'No.' }));

describe('samples of feeds', () => {
  it('are the first updates at or after a moment, marked as filled in, and end with a line of their own', async () => {
    const lines = await linesOf(scripted().samples, [A, B], [PAST + 1, PAST + 5]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      kind: 'sample',
      t: PAST + 1,
      feeds: [
        { id: A, t: PAST + 10, f: 1, r: (PAST + 10) * 1000 },
        { id: B, t: PAST + 10 },
      ],
    });
    expect(lines.at(-1)).toEqual({ kind: 'complete' });
  });

  it('are asked once for all readers, at the same time or later, and singly for a feed that is new', async () => {
    const { samples, calls } = scripted();
    await Promise.all([1, 2, 3].map(() => linesOf(samples, [A], [PAST, PAST + 60])));
    await linesOf(samples, [A], [PAST]);
    expect(calls).toEqual([`${PAST} a`, `${PAST + 60} a`]);
    await linesOf(samples, [A, B], [PAST]);
    expect(calls.at(-1)).toBe(`${PAST} b`);
  });

  it('never have more than two calls in front of other users', async () => {
    const { samples, mostAtOnce } = scripted();
    const times = Array.from({ length: 20 }, (_, at) => PAST + at * 60);
    await Promise.all([linesOf(samples, [A], times), linesOf(samples, [B], times)]);
    expect(mostAtOnce()).toBe(2);
  });

  it('are asked again where they were not settled yet, and kept for good where they are', async () => {
    const { samples, calls, pass } = scripted();
    await linesOf(samples, [A], [NOW_S - 20, PAST]);
    pass(10_000);
    await linesOf(samples, [A], [NOW_S - 20, PAST]);
    expect(calls).toEqual([`${NOW_S - 20} a`, `${PAST} a`, `${NOW_S - 20} a`]);
  });

  it('stop when the reader leaves', async () => {
    const { samples, calls } = scripted();
    const reader = new AbortController();
    const times = Array.from({ length: 50 }, (_, at) => PAST + at * 60);
    for await (const _ of samples.lines({ ids: [A], times }, reader.signal)) reader.abort();
    expect(calls.length).toBeLessThanOrEqual(6);
    // The turns of who left are free for others.
    expect(await linesOf(samples, [B], [PAST])).toHaveLength(2);
  });
});

describe('samples that can’t be had', () => {
  it('are told apart from those that do not exist: one feed without an update does not cost the others theirs', async () => {
    const { samples } = scripted(async (t, ids) =>
      ids.includes(B)
        ? failed({ kind: 'missing', detail: 'Update data not found' })
        : ok({ updates: [update(A, t)], unreadable: [], parsedPresent: true }),
    );
    const [line, end] = await linesOf(samples, [A, B], [PAST]);
    expect(line).toMatchObject({ kind: 'sample', feeds: [{ id: A }] });
    expect(end).toEqual({ kind: 'complete' });
  });

  it.each(['unauthorized', 'rate-limited', 'unconfigured', 'too-many'] as const)(
    'end the answer at once when the next would meet the same: %s',
    async (kind) => {
      const { samples, calls } = refusing(kind);
      const lines = await linesOf(
        samples,
        [A],
        Array.from({ length: 30 }, (_, at) => PAST + at),
      );
      expect(lines.map((line) => line?.kind)).toEqual(['problem', 'stopped']);
      expect(calls.length).toBeLessThanOrEqual(4);
    },
  );

  it('are said one by one, and the answer ends after three in a row', async () => {
    const lines = await linesOf(refusing('failing').samples, [A], [PAST, PAST + 1, PAST + 2, PAST + 3]);
    expect(lines.map((line) => line?.kind)).toEqual(['problem', 'problem', 'problem', 'stopped']);
  });

  it('are not remembered', async () => {
    let up = false;
    const { samples } = scripted(async (t) =>
      up
        ? ok({ updates: [update(A, t)], unreadable: [], parsedPresent: true })
        : failed({ kind: 'timeout', detail: 'Slow.' }),
    );
    expect((await linesOf(samples, [A], [PAST]))[0]).toMatchObject({ kind: 'problem' });
    up = true;
    expect((await linesOf(samples, [A], [PAST]))[0]).toMatchObject({ kind: 'sample', feeds: [{ id: A }] });
  });

  it('include what the service answers from before the moment: it was not asked for', async () => {
    const { samples } = scripted(async (t) =>
      ok({ updates: [update(A, t - 1)], unreadable: [], parsedPresent: true }),
    );
    expect((await linesOf(samples, [A], [PAST]))[0]).toEqual({ kind: 'sample', t: PAST, feeds: [] });
  });
});
