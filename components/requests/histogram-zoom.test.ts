import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistogramHead } from '@/lib/contract/codec/histogram';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { timeOfBuckets, type ZoomTrail, zoomedIn, zoomedOut } from './histogram-zoom';

const at = (text: string) => Date.parse(`2026-11-20T${text}Z`);
const ASOF = '2026-11-20T08:10:03.500Z';
/** The last two hours, in half hours. */
const HEAD: HistogramHead = {
  fromMs: at('06:00:00'),
  toMs: at('08:30:00'),
  startMs: at('06:10:03'),
  endMs: at('08:10:03.500'),
  bucketMs: 1_800_000,
  buckets: 5,
  exact: 'counts',
  total: '9',
};
const VIEW: RequestsView = {
  ...defaultRequestsView(),
  time: { kind: 'last', range: '2h' },
  page: 3,
  live: 5,
};
const zoom = (anchor: number, to: number, view = VIEW, trail: ZoomTrail = new Map()) =>
  zoomedIn(view, HEAD, { anchor, at: to }, ASOF, trail);

describe('zooming in', () => {
  it('shows the buckets from their first to their last nanosecond, on the first page, following nothing', () => {
    const view = zoom(1, 2);
    expect(view.time).toEqual({
      kind: 'between',
      from: '2026-11-20T06:30:00Z',
      to: '2026-11-20T07:29:59.999999999Z',
    });
    expect([view.page, view.live]).toEqual([1, undefined]);
  });

  it('goes the same way in either direction', () => {
    expect(zoom(3, 1)).toEqual(zoom(1, 3));
  });

  it('cuts the outer buckets where the view does', () => {
    expect(zoom(0, 4).time).toEqual({ kind: 'between', from: '2026-11-20T06:10:03Z', to: ASOF });
    const time = {
      kind: 'between' as const,
      from: '2026-11-20T06:10:03+00:00',
      to: '2026-11-20T08:10:03.500000001Z',
    };
    expect(zoom(0, 4, { ...VIEW, time }).time).toEqual(time);
  });

  it('never leaves the view, and neighbours never overlap', () => {
    fc.assert(
      fc.property(fc.nat(3), (index) => {
        const [one, next] = [index, index + 1].map((n) => timeOfBuckets(HEAD, { anchor: n, at: n }));
        expect((next?.fromMs ?? 0) - (one?.toMs ?? 0)).toBe(1);
        expect(one?.fromMs).toBeGreaterThanOrEqual(HEAD.startMs);
        expect(next?.toMs).toBeLessThanOrEqual(HEAD.endMs);
      }),
    );
  });
});

describe('zooming out', () => {
  it('goes back to where one was, step by step, with the snapshot of then', () => {
    const trail: ZoomTrail = new Map();
    const start = { ...VIEW, asof: ASOF };
    const first = zoom(1, 3, start, trail);
    const second = zoom(2, 2, first, trail);
    const once = zoomedOut(second, trail);
    expect(once?.time).toEqual(first.time);
    const twice = once && zoomedOut(once, trail);
    expect([twice?.time, twice?.asof]).toEqual([VIEW.time, ASOF]);
    expect(twice && zoomedOut(twice, trail)).toBeUndefined();
  });

  it('keeps the filters that were chosen meanwhile', () => {
    const trail: ZoomTrail = new Map();
    const zoomed = { ...zoom(1, 1, VIEW, trail), networks: ['8453'] };
    expect(zoomedOut(zoomed, trail)).toMatchObject({ networks: ['8453'], time: VIEW.time });
  });

  it('takes three times the span when it does not know', () => {
    const time = {
      kind: 'between' as const,
      from: '2026-11-20T07:00:00Z',
      to: '2026-11-20T07:09:59.999999999Z',
    };
    expect(zoomedOut({ ...VIEW, time }, new Map())?.time).toEqual({
      kind: 'between',
      from: '2026-11-20T06:50:00Z',
      to: '2026-11-20T07:20:00Z',
    });
  });

  it('is not offered for a time with an open end, nor beyond what four digits name', () => {
    expect(zoomedOut({ ...VIEW, time: { kind: 'between', from: '2026-11-20' } }, new Map())).toBeUndefined();
    const time = { kind: 'between' as const, from: '0000-01-01', to: '9999-12-31' };
    expect(zoomedOut({ ...VIEW, time }, new Map())).toBeUndefined();
  });

  it('remembers a bounded number of steps', () => {
    const trail: ZoomTrail = new Map();
    for (let n = 0; n < 100; n += 1)
      zoomedIn(VIEW, { ...HEAD, fromMs: HEAD.fromMs + n * 1000 }, { anchor: 1, at: 1 }, ASOF, trail);
    expect(trail.size).toBe(50);
  });
});
