import type { LookupAsk, LookupCell, LookupFeed, SourceQuote } from '@/lib/client/price-lookup';
import { cellKey } from '@/lib/client/price-lookup';
import { IDLE_LOOKUP, type LookupState } from '@/lib/client/price-lookup-state';
import { type LookupSource, USUAL_PRICES } from '@/lib/contract/codec/prices-url';
import type { HostReport, ServiceReport } from '@/lib/contract/codec/service-report';
import { parseFeedId } from '@/lib/domain/feed';
import { inspectText } from '@/lib/domain/payload/inspect';
import { unixMicros } from '@/lib/domain/units';
import { answered, evidenceOf, pairOf, soundEvidence } from '@/lib/domain/upgrade-check-fixture';

const FEEDS: readonly LookupFeed[] = [1, 2, 3].map((n) => ({
  key: String(n),
  symbol: n === 3 ? `Crypto.\u202e${'W'.repeat(300)}/USD` : `Crypto.C${n}/USD`,
  feedId: parseFeedId(n.toString(16).padStart(64, 'e')),
  routerId: String(n),
}));

function quote(mantissa: bigint, nowMs: number): LookupCell {
  const quoted: SourceQuote = {
    price: { mantissa, expo: -8 },
    conf: { mantissa: 4_827_125_000n, expo: -8 },
    ema: { price: { mantissa: mantissa + 7n, expo: -8 }, conf: { mantissa: 5_958_625_000n, expo: -8 } },
    publishUs: unixMicros(BigInt(nowMs) * 1000n),
    receivedMs: nowMs + 373,
    facts: [
      { name: 'slot', value: '543406573', form: 'text' },
      { name: 'vaa', value: 'A'.repeat(736), form: 'payload' },
    ],
  };
  return { kind: 'quote', quote: quoted };
}

/** A lookup in all sources: equal, within and apart, with every way in which a source says nothing. */
export function lookupFixture(nowMs: number): { ask: LookupAsk; state: LookupState } {
  const { feeds: _feeds, at: _at, mode: _mode, ...usual } = USUAL_PRICES;
  const sources: readonly LookupSource[] = ['updates', 'upgraded', 'deprecated', 'router'];
  const ask: LookupAsk = { feeds: FEEDS, moments: [], directory: 'known', options: { ...usual, sources } };
  const refused = {
    kind: 'rejected',
    service: 'updates',
    detail: 'Price ids not found: 0x<b>1</b>',
  } as const;
  const rows: readonly (readonly LookupCell[])[] = [
    [8_407_229_241_606n, 8_407_229_241_606n, 8_407_229_300_000n, 8_307_229_241_606n].map((value) =>
      quote(value, nowMs),
    ),
    [
      quote(-1n, nowMs),
      { kind: 'failed', failure: refused, together: 2 },
      { kind: 'absent' },
      { kind: 'not-asked', why: 'below-min-channel', detail: 'fixed_rate@200ms' },
    ],
    [
      { kind: 'waiting' },
      { kind: 'binary-only' },
      { kind: 'unreadable', problem: 'price.expo is no integer.', rawJson: '{"price":{"expo":[]}}' },
      { kind: 'cancelled' },
    ],
  ];
  const cells = new Map(
    FEEDS.flatMap((feed, row) =>
      sources.flatMap((source, column) => {
        const cell = rows[row]?.[column];
        return cell === undefined ? [] : [[cellKey(0, feed, source), cell] as const];
      }),
    ),
  );
  return { ask, state: { ...IDLE_LOOKUP, phase: 'running', ask, cells } };
}

const NO_SURPRISE = { 'unknown-state': 0, 'unreadable-row': 0, 'extra-member': 0, 'odd-value': 0 };

function host(nowMs: number): HostReport {
  return {
    address: 'prices.example/hermes',
    key: {
      state: 'set',
      setting: 'UPDATES_API_KEY',
      origin: { kind: 'file', setting: 'UPDATES_API_KEY_FILE', sinceMs: nowMs - 7_200_000 },
      verdict: { verdict: 'accepted', upstreamStatus: 200, atMs: nowMs - 4_000 },
    },
    last: { state: 'ok', atMs: nowMs - 4_000, latencyMs: 85 },
    circuit: { state: 'closed', failures: 0 },
    calls: {
      sent: 1_240,
      latency: { calls: 500, p50Ms: 85, p95Ms: 372, p99Ms: 567, maxMs: 1_533 },
      lastOkAtMs: nowMs - 4_000,
      failures: [],
      heldBack: [],
    },
    budget: {
      ...{ callsPerSecond: 3, burst: 30, used: 27, waiting: { user: 1, background: 2 } },
      ...{ granted: 1_240, refused: 0, sharedWith: [] },
    },
    streams: {
      standing: [{ openedAtMs: nowMs - 82_800_000, feeds: 12, lastByteAtMs: nowMs - 400 }],
      opened: 3,
      ends: { 'closed-here': 0, 'ended-by-service': 1, broken: 1 },
      lastEnd: { end: 'ended-by-service', atMs: nowMs - 82_800_000, lastedMs: 86_400_000 },
    },
    surprises: { surprises: [], others: NO_SURPRISE },
    clock: { offByMs: -599_000, datedMs: nowMs - 604_000, atMs: nowMs - 4_000, answers: 3 },
  };
}

/** A host of the price update service, as it stands. */
export function serviceFixture(
  standing: 'well' | 'refused' | 'limited' | 'unconfigured',
  nowMs: number,
): ServiceReport {
  const named = { label: 'updates', service: 'updates' } as const;
  if (standing === 'unconfigured') return named;
  const well = host(nowMs);
  if (standing === 'well') return { ...named, host: well };
  const [kind, upstreamStatus] =
    standing === 'refused' ? (['unauthorized', 401] as const) : (['rate-limited', 429] as const);
  const trouble = {
    kind,
    count: 4,
    lastAtMs: nowMs - 9_000,
    lastDetail: 'No.\u202e <b>no</b>',
    lastStatus: upstreamStatus,
  };
  const surprise = {
    kind: 'extra-member',
    ...{ name: 'parsed[].mood', example: '{"a":18446744073709551615}' },
    ...{ count: 12_000, firstAtMs: nowMs - 60_000, lastAtMs: nowMs - 1_000 },
  } as const;
  return {
    ...named,
    host: {
      ...well,
      key: {
        ...well.key,
        verdict: {
          verdict: standing === 'refused' ? 'refused' : 'accepted',
          upstreamStatus,
          atMs: nowMs - 9_000,
        },
      },
      last: { state: 'failed', kind, atMs: nowMs - 9_000, latencyMs: 31 },
      pause: { kind, upstreamStatus, untilMs: nowMs + 51_000 },
      calls: { ...well.calls, failures: [trouble], heldBack: [{ ...trouble, count: 90 }] },
      surprises: { surprises: [surprise], others: { ...NO_SURPRISE, 'extra-member': 7 } },
    },
  };
}

export const UPGRADED_EVIDENCE = soundEvidence('upgraded', 'upgraded');

const DOWN = {
  kind: 'failed',
  tookMs: 31,
  failure: {
    kind: 'failing',
    service: 'upgraded',
    detail: 'The service is failing (503)',
    upstreamStatus: 503,
  },
} as const;

export const HALF_EVIDENCE = evidenceOf(
  pairOf('latest', answered('{"binary":{"encoding":"hex","data":[]},"parsed":[]}', 'before-upgrade'), DOWN),
);

/** The true update of 2023 (data/README.md). */
const VECTOR = [
  'UE5BVQEAAAADuAEAAAADDQC1H7meY5fTed0FsykIb8dt+7nKpbuzfvU2DplDi+dcUl8MC+UIkS65+rkiq+zmNBxE2gaxkBkjdIic',
  'Z/fBo+X7AAEqp+WtlWb84np8jJfLpuQ2W+l5KXTigsdAhz5DyVgU3xs+EnaIZxBwcE7EKzjMam+V9rlRy0CGsiQ1kjqqLzfAAQLs',
  'oVO0Vu5gVmgc8XGQ7xYhoz36rsBgMjG+e3l/B01esQi/KzPuBf/Ar8Sg5aSEOvEU0muSDb+KIr6d8eEC+FtcAAPZEaBSt4ysXVL8',
  '4LUcJemQD3SiG30kOfUpF8o7/wI2M2Jf/LyCsbKEQUyLtLbZqnJBSfZJR5AMsrnHDqngMLEGAAY4UDG9GCpRuPvg8hOlsrXuPP3z',
  'q7yVPqyG0SG+bNo8rEhP5b1vXlHdG4bZsutX47d5VZ6xnFROKudx3T3/fnWUAQgAU1+kUFc3e0ZZeX1dLRVEryNIVyxMQIcxWwde',
  'y+jlIAYowHRM0fJX3Scs80OnT/CERwh5LMlFyU1w578NqxW+AQl2E/9fxjgUTi8crOfDpwsUsmOWw0+Q5OUGhELv/2UZoHAjsaw9',
  'OinWUggKACo4SdpPlHYldoWF+J2yGWOW+F4iAQre4c+ocb6a9uSWOnTldFkioqhd9lhmV542+VonCvuy4Tu214NP+2UNd/4Kk3KJ',
  'Cf3iziQJrCBeLi1cLHdLUikgAQtvRFR/nepcF9legl+DywAkUHi5/1MNjlEQvlHyh2XbMiS85yu7/9LgM6Sr+0ukfZY5mSkOcvUk',
  'pHn+T+Nw/IrQAQ7lty5luvKUmBpI3ITxSmojJ1aJ0kj/dc0ZcQk+/qo0l0l3/eRLkYjw5j+MZKA8jEubrHzUCke98eSoj8l08+PG',
  'AA+DAKNtCwNZe4p6J1Ucod8Lo5RKFfA84CPLVyEzEPQFZ25U9grUK6ilF4GhEia/ndYXLBt3PGW3qa6CBBPM7rH3ABGAyYEtUwzB',
  '4CeVedA5o6cKpjRkIebqDNSOqltsr+w7kXdfFVtsK2FMGFZNt5rbpIR+ppztoJ6eOKHmKmi9nQ99ARKkTxRErOs9wJXNHaAuIRV3',
  '8o1pxRrlQRzGsRuKBqxcQEpC8OPFpyKYcp6iD5l7cO/gRDTamLFyhiUBwKKMP07FAWTEJv8AAAAAABrhAfrtrFhR4yubI7X5QRqM',
  'K6xKrj7U3XuBHdGnLqSqcQAAAAAAGp0GAUFVV1YAAAAAAAUYUmIAACcQBsfKUtr4PgZbIXRxRESU79PjE4IBAFUA5i32yLSoX+Gm',
  'fbRNwS3l2zMPesZrctxliv7fD0pBW0MAAAKqqMJFwAAAAAAqE/NX////+AAAAABkxCb7AAAAAGTEJvoAAAKqIcWxYAAAAAAlR5m4',
  'CP/mPsh1IezjYpDlJ4GRb5q4fTs2LjtyO6M0XgVimrIQ4kSh1qg7JKW4gbGkyRntVFR9JO/GNd3FPDit0BK6M+JzXh/h12YNCz9w',
  'xlZTvXrNtWNbzqT+91pvl5cphhSPMfAHyEzTPaGR9tKDy9KNu56pmhaY32d2vfEWQmKo22guegeR98oDxs67MmnUraco46a3zEna',
  'c2Bm80pasUgMO24=',
].join('');

export const WHOLE_PAYLOAD = inspectText(VECTOR);
/** Cut off within its signed message. */
export const FAULTY_PAYLOAD = inspectText(VECTOR.slice(0, 700));
