import 'server-only';
import type { TriageState } from '@/lib/contract/codec/triage';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import { type Standing, standingOf, type Triage } from '@/lib/domain/diagnosis/incident';
import { type SilenceRow, silenceTable } from '@/lib/domain/diagnosis/silence-table';
import { triageSteps } from '@/lib/domain/diagnosis/triage';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { currentSettings } from '@/lib/server/current-settings';
import { thresholdsOf } from '@/lib/server/pending-settings';
import { processWide } from '@/lib/server/process-wide';
import type { IndexStore } from '@/lib/store/store';
import { type KeeperLook, KeeperReader } from './keeper-evidence';
import { isFresh } from './reach';
import { inTurns } from './turns';

/** The state of all pending requests as it was worked out at one moment, from one revision of the index. */
export type TriageNow = {
  revision: number;
  /** Unix ms, by the clock of the services. */
  atMs: number;
  state: TriageState;
  index: KeeperStatus[];
  looks: KeeperLook[];
  triage: Triage;
  silence: SilenceRow[];
  standing: Standing;
  /** Pending rows that their service no longer serves: nothing is said of them but their number. */
  gone: number;
};

/** Ages go on while nothing new is known. */
const SAME_FOR_MS = 1000;
/** While much becomes known at once, it is not worked out anew more often, nor for more than a quarter of the time. */
const LEAST_MS = 250;
const PAUSE_FACTOR = 3;
/** Old enough to be asked for anew, and young enough to be shown meanwhile. */
const RECENT_MS = 5000;

type Last = { now: TriageNow; epoch: number; endedAt: number; tookMs: number };

/** Works the state of things out when somebody asks, once for all who ask at about the same time. */
export class PendingTriage {
  readonly #store: IndexStore;
  readonly #settingsOf: (networkId: string) => DiagnosisSettings;
  #readers = new Map<string, KeeperReader>();
  #readersOf: number | undefined;
  #last: Last | undefined;
  #underWay: Promise<Last> | undefined;

  constructor(store: IndexStore, settingsOf: (networkId: string) => DiagnosisSettings) {
    this.#store = store;
    this.#settingsOf = settingsOf;
  }

  async now(): Promise<TriageNow> {
    const last = this.#last;
    if (last !== undefined && this.#isGood(last)) return last.now;
    this.#underWay ??= this.#workOut().finally(() => {
      this.#underWay = undefined;
    });
    const { now, epoch } = await this.#underWay;
    // It began before everything was forgotten.
    return epoch === this.#store.epoch ? now : this.now();
  }

  /**
   * As it was worked out a few seconds ago, at once; for what must not wait. Before that it is the same as `now`.
   */
  async recent(): Promise<TriageNow> {
    const last = this.#last;
    if (last === undefined || last.epoch !== this.#store.epoch) return this.now();
    if (performance.now() - last.endedAt > RECENT_MS) return this.now();
    // What goes wrong here goes wrong for the next who waits for it, too.
    this.now().catch(() => undefined);
    return last.now;
  }

  #isGood({ now, epoch, endedAt, tookMs }: Last): boolean {
    if (epoch !== this.#store.epoch) return false;
    const ageMs = performance.now() - endedAt;
    const keptMs = now.revision === this.#store.revision ? SAME_FOR_MS : LEAST_MS;
    return ageMs < Math.max(keptMs, PAUSE_FACTOR * tookMs);
  }

  async #workOut(): Promise<Last> {
    const beganAt = performance.now();
    const { epoch, revision } = this.#store;
    const index = this.#store.status();
    const atMs = this.#store.now();
    const looks: KeeperLook[] = [];
    for (const status of index) looks.push(await this.#readerOf(status.keeper).look(status, atMs));
    const now = await this.#judged({ revision, atMs, index, looks });
    const endedAt = performance.now();
    this.#last = { now, epoch, endedAt, tookMs: endedAt - beganAt };
    return this.#last;
  }

  async #judged(given: Pick<TriageNow, 'revision' | 'atMs' | 'index' | 'looks'>): Promise<TriageNow> {
    const { atMs, index, looks } = given;
    const asOf = new Map(looks.map(({ evidence, asOfMs }) => [evidence.keeper, asOfMs]));
    const evidence = looks.map((look) => look.evidence);
    const asOfMs = (keeper: string) => asOf.get(keeper) ?? atMs;
    const triage = await inTurns(triageSteps(evidence, this.#settingsOf, asOfMs));
    const silence = await inTurns(silenceSteps(looks, triage));
    const state = stateOf(index, atMs);
    const standing = honestStanding(triage, state, index, atMs);
    return { ...given, state, triage, silence, standing, gone: goneOf(looks) };
  }

  #readerOf(keeper: string): KeeperReader {
    if (this.#readersOf !== this.#store.epoch) this.#readers = new Map();
    this.#readersOf = this.#store.epoch;
    const [keeperId = 0] = this.#store.keeperIds([keeper]);
    const reader = this.#readers.get(keeper) ?? new KeeperReader(this.#store, keeperId, this.#settingsOf);
    this.#readers.set(keeper, reader);
    return reader;
  }
}

function goneOf(looks: readonly KeeperLook[]): number {
  const pending = looks.flatMap(({ counts }) => counts.filter(({ state }) => state === 'pending'));
  return pending.reduce((sum, { rows, live }) => sum + rows - live, 0);
}

function* silenceSteps(looks: readonly KeeperLook[], triage: Triage): Generator<undefined, SilenceRow[]> {
  const rows: SilenceRow[] = [];
  for (const { evidence, asOfMs } of looks) {
    rows.push(...silenceTable([evidence], triage, asOfMs));
    yield undefined;
  }
  const isQuiet = ({ quiet }: SilenceRow) => Number(quiet.holds === 'yes');
  return rows.sort((one, other) => isQuiet(other) - isQuiet(one));
}

function stateOf(index: readonly KeeperStatus[], nowMs: number): TriageState {
  if (!index.every((status) => isFresh(status, nowMs) || isBeginning(status))) return 'stale';
  return index.some(isBeginning) ? 'syncing' : 'complete';
}

/** Not read yet, and nothing has failed. */
function isBeginning({ syncedAtMs, pendingAtMs, failure }: KeeperStatus): boolean {
  return (syncedAtMs === null || pendingAtMs === null) && failure === null;
}

/** Calm is only said of rows that were read a moment ago. */
function honestStanding(
  triage: Triage,
  state: TriageState,
  index: readonly KeeperStatus[],
  nowMs: number,
): Standing {
  const standing = standingOf(triage);
  if (standing.kind !== 'nothing-stuck' || state === 'complete') return standing;
  const old = index.find((status) => !isFresh(status, nowMs));
  const why = old?.failure?.detail.replace(/\.$/, '') ?? `Keeper ${old?.keeper} is not synced`;
  return { kind: 'not-known', why };
}

const kept = processWide<{ of: IndexStore; triage: PendingTriage }>('pending-triage');

/** The one of this process for an index; another index (a restart within a test) begins anew. */
export function triageOf(index: IndexStore): PendingTriage {
  const known = kept.get();
  if (known?.of === index) return known.triage;
  const triage = new PendingTriage(index, (networkId) => thresholdsOf(currentSettings(), networkId));
  kept.set({ of: index, triage });
  return triage;
}
