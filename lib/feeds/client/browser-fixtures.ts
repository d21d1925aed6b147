import { ScriptedSource } from '@/lib/core/event-source-fixture';
import { type Outcome, ok } from '@/lib/core/outcome';
import { ManualTimers } from '@/lib/core/timers-fixture';
import type { HistoryOfFeed, SamplesAnswer } from '@/lib/feeds/past-response';
import type { CompactFeed, PriceUpdate } from '@/lib/feeds/price-update';
import type { PastDeps } from './past';
import type { FeedStoreDeps } from './store';

/** A browser whose time, frames and connections are controlled by hand. */
export class ScriptedBrowser {
  readonly timers = new ManualTimers(1_000_000_000_000);
  readonly sources: ScriptedSource[] = [];
  readonly requested: string[] = [];
  history: readonly HistoryOfFeed[] = [];
  samples: (times: readonly number[]) => Omit<SamplesAnswer, 'failure'> & { problem?: unknown } = (
    times,
  ) => ({ samples: times.map((t) => ({ t, feeds: [] })) });
  #frames: (() => void)[] = [];

  readonly deps: FeedStoreDeps = {
    create: (url) => {
      const source = new ScriptedSource(url, wireText);
      this.sources.push(source);
      return source;
    },
    now: () => this.timers.now(),
    after: (ms, run) => this.timers.after(ms, run),
    random: () => 0,
    requestFrame: (run) => this.#frames.push(run),
  };

  readonly pastDeps: PastDeps = {
    get: async (path): Promise<Outcome<string>> => {
      this.requested.push(path);
      const times = new URL(path, 'http://page').searchParams.get('times')?.split(',').map(Number);
      return ok(wireText(times === undefined ? { feeds: this.history } : this.samples(times)));
    },
    wait: (ms) => new Promise<void>((resolve) => this.timers.after(ms, resolve)),
  };

  get source(): ScriptedSource {
    const last = this.sources.at(-1);
    if (last === undefined) throw new Error('no source was made');
    return last;
  }

  get openSources(): number {
    return this.sources.filter(({ readyState }) => readyState !== 2).length;
  }

  paint(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
  }
}

type UpdateMembers = Partial<Omit<PriceUpdate, 'price' | 'conf' | 'ema'>> & {
  /** Exponent of all figures; -2 by default. */
  readonly expo?: number;
  readonly conf?: string;
  readonly ema?: string;
};

/** A feed with two decimals; `receivedMs` is a tenth of a second after its publication (unix seconds). */
export function scriptedUpdate(
  id: string,
  price: string,
  publishTimeS: number,
  { expo = -2, conf = '1', ema, ...more }: UpdateMembers = {},
): PriceUpdate {
  return {
    id,
    price: { mantissa: BigInt(price), expo },
    conf: { mantissa: BigInt(conf), expo },
    ema: ema === undefined ? undefined : { mantissa: BigInt(ema), expo },
    publishTimeS,
    receivedMs: publishTimeS * 1_000 + 100,
    isBackfilled: false,
    ...more,
  };
}

function wireText(value: unknown): string {
  return JSON.stringify(value, (_, part) => (isUpdate(part) ? wireOf(part) : part));
}

const isUpdate = (value: unknown): value is PriceUpdate =>
  typeof value === 'object' && value !== null && 'publishTimeS' in value;

function wireOf({ id, price, conf, ema, ...update }: PriceUpdate): CompactFeed {
  return {
    id,
    p: String(price.mantissa),
    c: String(conf.mantissa),
    e: price.expo,
    ep: ema && String(ema.mantissa),
    t: update.publishTimeS,
    pp: update.prevPublishTimeS,
    pa: update.proofAtS,
    s: update.slot,
    r: update.receivedMs,
    f: update.isBackfilled ? 1 : undefined,
    x: update.misdating,
  };
}
