import 'server-only';
import type { GatherProgress, GatherState, GatherTrouble } from '@/lib/contract/codec/triage';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { KeeperEvidence } from '@/lib/domain/diagnosis/incident';
import { type Standing, standingOf, type Triage } from '@/lib/domain/diagnosis/incident';
import { type SilenceRow, silenceTable } from '@/lib/domain/diagnosis/silence-table';
import { triageSteps } from '@/lib/domain/diagnosis/triage';
import type { Timers } from '@/lib/upstream/timers';
import { whyOf } from './kept-piece';
import { inTurns } from './turns';

/** What the view reads of the gatherer, all of one moment. */
export type Gathered = {
  version: number;
  state: GatherState;
  checkedAtMs: number | undefined;
  progress: GatherProgress | undefined;
  troubles: readonly GatherTrouble[];
  evidence: readonly KeeperEvidence[];
};

/** The state of things as it was worked out at one moment. */
export type TriageNow = {
  /** Unix ms. */
  atMs: number;
  gathered: Omit<Gathered, 'evidence' | 'version'> & { evidence: readonly KeeperEvidence[] };
  triage: Triage;
  silence: SilenceRow[];
  standing: Standing;
};

export type ViewEdges = {
  gathered: () => Gathered;
  settingsOf: (networkId: string) => DiagnosisSettings;
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
};

/** Ages go on while nothing new is known. */
const SAME_FOR_MS = 1000;
/** While much is becoming known at once, it is not worked out anew for every piece and every viewer. */
const LEAST_MS = 250;

/** Works the state of things out when somebody asks, once for all who ask at about the same time. */
export class TriageView {
  readonly #edges: ViewEdges;
  #last: { version: number; now: TriageNow } | undefined;
  #underWay: Promise<TriageNow> | undefined;

  constructor(edges: ViewEdges) {
    this.#edges = edges;
  }

  /** @param need `latest`: what is known by now must be in it */
  async now(need: 'recent' | 'latest' = 'recent'): Promise<TriageNow> {
    if (this.#underWay !== undefined) {
      const joined = await this.#underWay;
      if (need === 'recent') return joined;
    }
    const { last, version } = { last: this.#last, version: this.#edges.gathered().version };
    const ageMs = this.#edges.now() - (last?.now.atMs ?? Number.NEGATIVE_INFINITY);
    const isSame = last?.version === version && ageMs < SAME_FOR_MS;
    if (last !== undefined && ageMs >= 0 && (isSame || (need === 'recent' && ageMs < LEAST_MS))) {
      return last.now;
    }
    this.#underWay ??= this.#workOut().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #workOut(): Promise<TriageNow> {
    const { settingsOf, now, timers, gathered: read } = this.#edges;
    const gathered = read();
    const atMs = now();
    const { version, evidence } = gathered;
    const triage = await inTurns(triageSteps(evidence, settingsOf, atMs));
    const silence = await inTurns(silenceSteps(evidence, triage, atMs));
    const result = { atMs, gathered, triage, silence, standing: honestStanding(triage, gathered) };
    const last = { version, now: result };
    this.#last = last;
    // Nobody is given it any more, and it holds on to thousands of rows that the gatherer may have replaced.
    timers.after(SAME_FOR_MS, () => {
      if (this.#last === last) this.#last = undefined;
    });
    return result;
  }
}

function* silenceSteps(
  evidence: readonly KeeperEvidence[],
  triage: Triage,
  nowMs: number,
): Generator<undefined, SilenceRow[]> {
  const rows: SilenceRow[] = [];
  for (const keeper of evidence) {
    rows.push(...silenceTable([keeper], triage, nowMs));
    yield undefined;
  }
  const isQuiet = ({ quiet }: SilenceRow) => Number(quiet.holds === 'yes');
  return rows.sort((one, other) => isQuiet(other) - isQuiet(one));
}

/** Calm is only said of a look that is over and brought everything. */
function honestStanding(triage: Triage, { state, troubles }: Gathered): Standing {
  const standing = standingOf(triage);
  if (standing.kind !== 'nothing-stuck' || state === 'complete') return standing;
  if (state === 'gathering') return { kind: 'not-known', why: 'The first look is not over yet' };
  const [trouble] = troubles;
  const why = trouble === undefined ? 'The last look was not complete' : whyOf(trouble.failure);
  return { kind: 'not-known', why };
}
