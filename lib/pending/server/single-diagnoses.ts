import 'server-only';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { type JudgedSingle, judgedSingle, type NetworkTriage } from '@/lib/pending/incidents';
import { diagnose, type GroupVerdicts } from '@/lib/pending/rules/diagnose';
import type { LoggedRow } from '@/lib/pending/rules/evidence';
import { ruleInput } from '@/lib/pending/rules/rule';
import { PARKED_AFTER_MS } from '@/lib/requests/keeper-status';
import type { IndexStore } from '@/lib/store/store';
import { gatherEvidence, type KeeperSnapshot } from './evidence';

/** A hundredth of the request's age, within these bounds, because old requests rarely change. */
const INTERVAL_MS = { min: 10_000, max: 60_000 };
const AGE_SHARE = 0.01;
/** Requests diagnosed with all evidence, newest first. */
const MAX_EXAMINED = 200;
/** Diagnoses of a round. The next round follows after a pause. */
const MAX_OF_ROUND = 20;
const ROUND_MS = 250;
const PAUSE_FACTOR = 19;

export type SingleCase = NetworkTriage['singles'][number] & {
  snapshot: KeeperSnapshot;
  settings: PendingSettings;
  others: GroupVerdicts['others'];
};

export class SingleDiagnoses {
  readonly #last = new Map<string, { atMs: number; single: JudgedSingle }>();
  /** Time by the clock of the store. */
  #nextRoundMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly store: IndexStore) {}

  clear(): void {
    this.#last.clear();
  }

  /** Newest first. Cases that are not due repeat the last diagnosis, or follow from the network alone. */
  async judge(cases: readonly SingleCase[]): Promise<JudgedSingle[]> {
    const newest = cases.toSorted(({ row: a }, { row: b }) => newestFirst(a, b));
    this.#forgetOthers(newest);
    const beganAt = performance.now();
    const mayBegin = this.store.now() >= this.#nextRoundMs;
    let left = mayBegin ? MAX_OF_ROUND : 0;
    const singles: JudgedSingle[] = [];
    for (const [at, single] of newest.entries()) {
      const last = this.#last.get(single.row.key);
      const isDue = last === undefined || single.snapshot.nowMs - last.atMs >= intervalMs(single);
      if (at >= MAX_EXAMINED || isParked(single)) singles.push(single.brief());
      else if (isDue && left > 0 && performance.now() - beganAt < ROUND_MS) {
        left -= 1;
        singles.push(await this.#diagnose(single));
      } else singles.push(last?.single ?? single.fromKnown());
    }
    if (mayBegin) {
      const pauseMs = PAUSE_FACTOR * (performance.now() - beganAt);
      this.#nextRoundMs = this.store.now() + Math.min(INTERVAL_MS.min, pauseMs);
    }
    return singles;
  }

  #forgetOthers(cases: readonly SingleCase[]): void {
    const keys = new Set(cases.map(({ row }) => row.key));
    for (const key of this.#last.keys()) if (!keys.has(key)) this.#last.delete(key);
  }

  async #diagnose({ row, snapshot, settings, others }: SingleCase): Promise<JudgedSingle> {
    const { nowMs } = snapshot;
    const evidence = await gatherEvidence(this.store, snapshot, row);
    const single = judgedSingle(row, diagnose(ruleInput(row, evidence, settings, nowMs), { others }), nowMs);
    this.#last.set(row.key, { atMs: nowMs, single });
    return single;
  }
}

const newestFirst = (a: LoggedRow, b: LoggedRow) =>
  b.createdAt.ms - a.createdAt.ms || (a.key < b.key ? -1 : 1);

const isParked = ({ row, snapshot }: SingleCase) => snapshot.nowMs - row.createdAt.ms > PARKED_AFTER_MS;

function intervalMs({ row, snapshot }: SingleCase): number {
  const ageMs = snapshot.nowMs - row.createdAt.ms;
  return Math.min(INTERVAL_MS.max, Math.max(INTERVAL_MS.min, ageMs * AGE_SHARE));
}
