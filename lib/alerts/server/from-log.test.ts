import { describe, expect, it } from 'vitest';
import type { IncidentRecord } from '@/lib/core/incident-record';
import type { LongWait } from '@/lib/store/queries/long-waits';
import { incidentsFromLog, stuckTogether } from './from-log';

const MINUTE = 60_000;
const BUDGET = 5 * MINUTE;
/** Times are minutes since midnight. */
const NIGHT = 1_795_046_400_000;
const NOON = NIGHT + 720 * MINUTE;

/** A block each second. */
function waited(from: number, until: number | null, more: Partial<LongWait> = {}): LongWait {
  const durationUs = until === null ? null : (until - from) * MINUTE * 1000;
  return {
    keeperId: 1,
    networkId: '8453',
    provider: '0xaa',
    createdUs: (NIGHT + from * MINUTE) * 1000,
    durationUs,
    block: from * 60,
    blocks: until === null ? null : (until - from) * 60,
    ...more,
  };
}

const minutes = (ms: number) => (ms - NIGHT) / MINUTE;

const spans = (rows: LongWait[]) =>
  stuckTogether(rows, () => BUDGET, NOON).map(({ sinceMs, fromMs, toMs, peak }) => [
    ...[sinceMs, fromMs, toMs].map(minutes),
    peak,
  ]);

describe('requests that were stuck together, by the log', () => {
  it('are three at once that waited longer than the retry budget', () => {
    expect(spans([waited(60, 100), waited(70, 100)])).toEqual([]);
    // The third was past its budget at 85.
    expect(spans([waited(60, 100), waited(70, 120), waited(80, 110), waited(60, 66)])).toEqual([
      [60, 85, 100, 3],
    ]);
    expect(spans([60, 61, 62, 63].map((from) => waited(from, 100)))).toEqual([[60, 67, 100, 4]]);
  });

  it('are those of one provider on one network of one keeper, created close in time', () => {
    const elsewhere = [
      waited(60, 100, { networkId: '10' }),
      waited(60, 100, { keeperId: 2 }),
      waited(60, 100, { provider: '0xbb' }),
      waited(77, 100),
    ];
    expect(spans([waited(60, 100), waited(61, 100), ...elsewhere])).toEqual([]);
  });

  it('are one span over a pause shorter than two minutes', () => {
    // Two links between requests that are more than a quarter of an hour apart.
    const links = [waited(70, 76), waited(84, 90)];
    const twice = (pause: number) => [
      waited(60, 100),
      waited(60, 200),
      waited(60, 200),
      waited(95 + pause, 200),
      ...links,
    ];
    expect(spans(twice(1))).toEqual([[60, 65, 200, 4]]);
    expect(spans(twice(3))).toEqual([
      [60, 65, 100, 4],
      [60, 103, 200, 3],
    ]);
  });

  it('still wait if they are pending, but for a day at most, when they are parked', () => {
    expect(spans([60, 61, 62].map((from) => waited(from, null)))).toEqual([[60, 67, 720, 3]]);
    const old = [-1400, -1399, -1398].map((from) => waited(from, null));
    expect(spans(old)).toEqual([[-1400, -1393, 40, 3]]);
  });

  it('leave out requests that were revealed soon by their blocks: only the log was late', () => {
    // A keeper that restarts may write the times of its completed requests anew.
    const rewritten = [60, 61, 62, 63].map((from) => waited(from, 100, { blocks: 2 }));
    const [real] = [waited(40, 120)];
    expect(spans([...rewritten, real as LongWait])).toEqual([]);
  });
});

describe('incidents from the log', () => {
  const stuck = stuckTogether(
    [60, 61, 62].map((from) => waited(from, 100)),
    () => BUDGET,
    NOON,
  );
  const rebuilt = (logged: [number, number][], recorded: Partial<IncidentRecord>[] = [], aheadMs = 0) =>
    incidentsFromLog(stuck, {
      logged: logged.map(([from, to]) => ({ fromMs: NIGHT + from * MINUTE, toMs: NIGHT + to * MINUTE })),
      recorded: recorded as IncidentRecord[],
      keeperName: () => 'main',
      clockAheadMs: () => aheadMs,
    });
  const times = (incidents: IncidentRecord[]) =>
    incidents.map(({ sinceMs, closedMs }) => [minutes(sinceMs), minutes(closedMs ?? Number.NaN)]);

  it('lie within the time of which only the log tells, by our clock', () => {
    const [incident] = rebuilt([[0, 200]]);
    expect(incident).toMatchObject({
      rules: ['from-log'],
      keeper: 'main',
      networkId: '8453',
      peak: 3,
      headline: '3 requests at once waited longer than 5 min',
    });
    expect(times(rebuilt([[0, 200]]))).toEqual([[60, 100]]);
    expect(times(rebuilt([[0, 200]], [], 10 * MINUTE))).toEqual([[50, 90]]);
    expect(
      times(
        rebuilt([
          [0, 70],
          [80, 90],
        ]),
      ),
    ).toEqual([
      [80, 90],
      [60, 70],
    ]);
    expect(rebuilt([[100, 200]])).toEqual([]);
  });

  it('leave the time of a recorded incident of the network to it', () => {
    const record = {
      keeper: 'main',
      networkId: '8453',
      rules: ['R1'],
      sinceMs: NIGHT + 80 * MINUTE,
      openedMs: NIGHT + 110 * MINUTE,
      closedMs: null,
    };
    expect(times(rebuilt([[0, 100]], [record]))).toEqual([[60, 80]]);
    expect(times(rebuilt([[0, 100]], [{ ...record, networkId: '10' }]))).toEqual([[60, 100]]);
    expect(times(rebuilt([[0, 100]], [{ ...record, rules: ['slow'] }]))).toEqual([[60, 100]]);
  });
});
