import { addressOf, KIND } from '@/sandbox/logs/identity';
import type { LogWorld } from '@/sandbox/logs/log-world';
import { type Keeper, NETWORKS } from '@/sandbox/logs/networks';
import { STATE } from '@/sandbox/logs/row-table';
import { requestBlock } from '@/sandbox/logs/row-writer';
import type { Plot, Rule } from './plot';
import type { Part } from './tale';

export type Figures = Record<string, number | string | number[]>;

/** The rows of a plot: all of them, and those that are stuck (oldest first). */
type Cast = { parts: readonly Part[]; stuck: readonly number[]; nowMs: number };

const DAY_MS = 86_400_000;
const LATE_MS = 420_000;
const MINUTE_MS = 60_000;

/** What the rule of a plot is decided by, counted in the rows of the world. Members in Ms are milliseconds. */
export function figuresOf(world: LogWorld, plot: Plot, cast: Cast): Figures {
  return FIGURES[plot.rule](new View(world, plot, cast));
}

/** The network of a plot as a rule looks at it. */
class View {
  readonly keeper: Keeper;
  readonly oldest: number;

  constructor(
    readonly world: LogWorld,
    readonly plot: Plot,
    readonly cast: Cast,
  ) {
    this.keeper = NETWORKS[plot.network]?.keeper ?? 'main';
    this.oldest = cast.stuck[0] ?? 0;
  }

  /** Rows of the network since a time, newest first. */
  since(minMs: number): number[] {
    const filter = { keeper: this.keeper, network: this.plot.network, minMs };
    return this.world.index.page(filter, 0, Number.POSITIVE_INFINITY).rows;
  }

  /** Rows of the network since the oldest stuck one, newest first. */
  get later(): number[] {
    return this.since(this.world.table.createdAt(this.oldest));
  }

  isPending(row: number): boolean {
    return this.world.table.state(row) === STATE.pending;
  }

  blockOf(row: number): number {
    const network = NETWORKS[this.plot.network];
    return network ? requestBlock(network, this.world.table.createdAt(row)) : 0;
  }
}

const FIGURES: Record<Rule, (view: View) => Figures> = {
  R2: ages,
  R3: ages,
  R4: ages,
  R5: ({ world, cast }) => {
    const twin = cast.parts.find(({ role }) => role === 'twin')?.row ?? 0;
    const hash = world.requestHash(world.identityOf(twin));
    return { sequence: world.table.sequence(twin), twin_tx_hash: `0x${hash}`, twin_state: 'completed' };
  },
  R6: (view) => {
    const { later } = view;
    return { rows: later.length, pending: later.filter((row) => view.isPending(row)).length };
  },
  R7: (view) => {
    const { table, mixer } = view.world;
    const sender = table.sender(view.oldest);
    const own = view.later.filter((row) => table.sender(row) === sender);
    const others = view.later.filter((row) => table.sender(row) !== sender && !view.isPending(row));
    const address = `0x${addressOf(mixer, KIND.sender, sender)}`;
    return { sender: address, own_rows: own.length, others_finished: others.length };
  },
  R8: (view) => {
    const { table } = view.world;
    const higher = view.later.filter(
      (row) => table.lane(row) === view.plot.lane && table.sequence(row) > table.sequence(view.oldest),
    );
    return { higher_finished: higher.filter((row) => !view.isPending(row)).length };
  },
  R9: (view) => {
    const { nowMs } = view.cast;
    const day = view.since(nowMs - DAY_MS);
    const silentMs = nowMs - view.world.table.createdAt(day[0] ?? 0);
    return { silentMs, rows_24h: day.length, expectedEveryMs: Math.round(DAY_MS / day.length) };
  },
  R10: (view) => {
    const newest = view.blockOf(view.later[0] ?? 0);
    const behind = view.cast.stuck.map((row) => newest - view.blockOf(row));
    return { newest_block: newest, blocks_behind: behind };
  },
  R11: ({ world, oldest }) => ({ gas_limit: world.gasLimitOf(oldest) ?? 0 }),
  R12: ({ world, cast }) => {
    const numbers = cast.parts.map(({ row }) => world.table.sequence(row)).sort((a, b) => a - b);
    const missing = numbers.flatMap((number, place) => {
      const before = numbers[place - 1] ?? number;
      return Array.from({ length: Math.max(0, number - before - 1) }, (_, index) => before + 1 + index);
    });
    return { missing };
  },
  R13: ({ world, cast }) => {
    const even = cast.stuck.filter((row) => world.table.sequence(row) % 2 === 0).length;
    return { modulus: 2, sharing: Math.max(even, cast.stuck.length - even), of: cast.stuck.length };
  },
  R14: ({ world, cast }) => {
    const { table } = world;
    const ends = cast.parts
      .filter(({ row }) => table.finishAt(row) - table.createdAt(row) > LATE_MS)
      .map(({ row }) => table.finishAt(row))
      .filter(Number.isFinite);
    const first = Math.min(...ends);
    const minute = new Date(Math.floor(first / MINUTE_MS) * MINUTE_MS);
    return { recovered: ends.length, minute: minute.toISOString() };
  },
  R15: (view) => {
    const hash = view.world.requestHash(view.world.identityOf(view.oldest));
    const rows = view.world.rowsOfTransaction(hash);
    const done = rows.filter((row) => !view.isPending(row));
    return { request_tx_hash: `0x${hash}`, done: done.length, of: rows.length };
  },
};

function ages({ world, cast }: View): Figures {
  return { agesMs: cast.stuck.map((row) => cast.nowMs - world.table.createdAt(row)) };
}
