import { hashOf, identify, KIND } from '@/sandbox/logs/identity';
import { NETWORKS } from '@/sandbox/logs/networks';
import type { StoredRow } from '@/sandbox/logs/row-table';
import { Background } from './background';
import type { Scenario } from './catalogue';
import type { Draft, DraftSource, Role } from './draft';
import { PlotSource } from './plot';

/** Rows of one scenario at most; numbers of scenarios set at different seconds never meet. */
const NUMBERS_PER_SECOND = 2 ** 20;

/** A row of a plot: which plot, what for, and its number in the world's table. */
export type Part = { plot: number; role: Role; row: number };

type Last = { k: number; lead: number; contribution: number; sequence: number };

/**
 * The rows of a scenario as time goes on, from two hours before its start. They follow each other in the
 * table of the world from `firstRow` on, and there is no other row behind it.
 */
export class Tale {
  readonly parts: Part[] = [];
  private readonly sources: DraftSource[];
  private readonly firstK: number;
  private readonly lastInLane = new Map<number, Last>();
  private readonly gasLimits: number[] = [];
  /** The request that a row's transaction or random number belongs to, where that is another row's. */
  private readonly leads = new Map<number, number>();
  private readonly contributions = new Map<number, number>();
  private readonly batches = new Map<number, number[]>();

  /** `firstSequence`: the number of the next request of a lane. */
  constructor(
    readonly scenario: Scenario,
    readonly firstRow: number,
    private readonly firstSequence: (lane: number) => number,
  ) {
    this.firstK = Math.floor(scenario.sinceMs / 1000) * NUMBERS_PER_SECOND;
    this.sources = sourcesOf(scenario);
  }

  /** The rows created at or before a time that were not given yet, in order. Each must become a row at once. */
  rowsUntil(ms: number): StoredRow[] {
    const drafts = this.sources.flatMap((source) => source.until(ms));
    return drafts.sort((a, b) => a.createdMs - b.createdMs).map((draft) => this.take(draft));
  }

  kOf(row: number): number {
    return this.firstK + row - this.firstRow;
  }

  gasLimitOf(row: number): number {
    return this.gasLimits[row - this.firstRow] ?? 0;
  }

  contributionOf(row: number): number {
    const k = this.kOf(row);
    return this.contributions.get(k) ?? k;
  }

  requestHash(k: number): string {
    return hashOf(this.scenario.mixer, KIND.liveRequest, this.leads.get(k) ?? k);
  }

  revealHash(k: number): string {
    return hashOf(this.scenario.mixer, KIND.liveReveal, k);
  }

  /** What a transaction hash (64 lower-case hex digits) stands for: rows, rising; undefined: nothing here. */
  find(hash: string): { kind: 'request' | 'reveal'; rows: number[] } | undefined {
    const found = identify(this.scenario.mixer, hash);
    if (!found) return undefined;
    const row = this.firstRow + found.id - this.firstK;
    if (row < this.firstRow || row >= this.firstRow + this.gasLimits.length) return undefined;
    if (found.kind === KIND.liveReveal) return { kind: 'reveal', rows: [row] };
    const isLead = found.kind === KIND.liveRequest && !this.leads.has(found.id);
    return isLead ? { kind: 'request', rows: [row, ...(this.batches.get(found.id) ?? [])] } : undefined;
  }

  private take(draft: Draft): StoredRow {
    const row = this.firstRow + this.gasLimits.length;
    const k = this.kOf(row);
    const before = this.lastInLane.get(draft.lane);
    const isTwin = draft.follows === 'twin' && before !== undefined;
    const next = before ? before.sequence + 1 : this.firstSequence(draft.lane);
    const sequence = isTwin ? before.sequence : next + (draft.skip ?? 0);
    const lead = draft.follows === 'batch' && before ? before.lead : k;
    const contribution = isTwin ? before.contribution : k;
    this.lastInLane.set(draft.lane, { k, lead, contribution, sequence });
    this.gasLimits.push(draft.gasLimit);
    if (contribution !== k) this.contributions.set(k, contribution);
    if (lead !== k) {
      this.leads.set(k, lead);
      this.batches.set(lead, [...(this.batches.get(lead) ?? []), row]);
    }
    if (draft.part) this.parts.push({ ...draft.part, row });
    const { createdMs, lane, sender, outcome, finishMs } = draft;
    return { createdMs, lane, sender, outcome, finishMs, sequence };
  }
}

/** Healthy requests on all networks, up to where a plot takes one over, and the plots. */
function sourcesOf({ mixer, fromMs, plots }: Scenario): DraftSource[] {
  const end = Number.POSITIVE_INFINITY;
  const steady = NETWORKS.map((_, network) => {
    const plot = plots.find((one) => one.network === network);
    return new Background(mixer, network, fromMs, plot?.fromMs ?? end);
  });
  const beside = plots.flatMap(({ network, aside, fromMs: from }) =>
    aside ? [new Background(mixer, network, from, end, aside)] : [],
  );
  return [...steady, ...beside, ...plots.map((plot) => new PlotSource(plot))];
}
