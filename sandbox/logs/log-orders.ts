import { z } from 'zod';
import { type Keeper, NETWORKS } from './networks';

const DAY_S = 86_400;
const MAX_ROWS = 100_000;

const whole = (min: number, max: number) => z.int().min(min).max(max);
const share = z.number().gt(0).lte(1);

/** The numbers of some networks of a keeper by their ids; all of them when none is named. */
function networks(keeper: Keeper) {
  const own = NETWORKS.flatMap((one, number) => (one.keeper === keeper ? [number] : []));
  const id = z.union([z.string(), z.number()]).transform((value, context) => {
    const found = own.find((number) => NETWORKS[number]?.networkId === String(value));
    if (found !== undefined) return found;
    context.issues.push({ code: 'custom', message: 'is no network of this keeper', input: value });
    return z.NEVER;
  });
  return z.array(id).min(1).default(own);
}

/** `networkIds` of an order are the `networks` that it is about. */
function named<T extends { networkIds: number[] }>({ networkIds, ...rest }: T) {
  return { ...rest, networks: networkIds };
}

/** The newest rows that have their outcome, of those created so many seconds ago or earlier. */
function chosen<K extends string>(kind: K) {
  const olderThanS = whole(0, 10 * 365 * DAY_S).default(0);
  return z.strictObject({ kind: z.literal(kind), count: whole(1, MAX_ROWS), olderThanS });
}

/** What a log service can be told to do with its rows. Seconds and minutes are those of the sandbox clock. */
const schemas = (keeper: Keeper) => ({
  late: z
    .strictObject({
      ...{ kind: z.literal('late'), lateS: whole(1, DAY_S) },
      ...{ count: whole(1, MAX_ROWS).optional(), share: share.optional() },
    })
    .refine((order) => (order.count === undefined) !== (order.share === undefined)),
  change: chosen('change'),
  vanish: chosen('vanish'),
  undelivered: chosen('undelivered'),
  repeat: z.strictObject({ kind: z.literal('repeat'), every: whole(1, 1_000_000) }),
  shuffle: z.strictObject({ kind: z.literal('shuffle') }),
  burst: z
    .strictObject({
      ...{ kind: z.literal('burst'), count: whole(1, MAX_ROWS) },
      ...{ pendingS: whole(0, DAY_S).default(10), networkIds: networks(keeper) },
    })
    .transform(named),
  rate: z
    .strictObject({
      ...{ kind: z.literal('rate'), perS: z.number().min(0).max(1000) },
      ...{ pendingS: whole(0, DAY_S).default(15), networkIds: networks(keeper) },
    })
    .transform(named),
  empty: z.strictObject({ kind: z.literal('empty') }),
  race: z.strictObject({
    ...{ kind: z.literal('race'), share: share.default(1) },
    by: whole(-MAX_ROWS, MAX_ROWS).refine((by) => by !== 0),
  }),
  starting: z
    .strictObject({
      ...{ kind: z.literal('starting'), minutes: z.number().gt(0).max(1_000_000) },
      ...{ networkIds: networks(keeper), zero: z.boolean().default(false) },
    })
    .transform(named),
  clock: z.strictObject({ kind: z.literal('clock'), offS: whole(-365 * DAY_S, 365 * DAY_S) }),
});

type Schemas = ReturnType<typeof schemas>;
export type LogOrderKind = keyof Schemas;
export type OrderOf<K extends LogOrderKind> = z.output<Schemas[K]>;
export type LogOrder = OrderOf<LogOrderKind>;

export const LOG_ORDER_SCHEMAS: Record<Keeper, Schemas> = { main: schemas('main'), test: schemas('test') };

const CHOSEN = '"count": of rows, optional "olderThanS": created so many seconds ago or earlier';
const NETWORK_IDS = '"networkIds": [ids] (default all)';

/** The members of each kind of order in words, and what it does. */
export const LOG_ORDERS: Record<LogOrderKind, { takes: string; does: string }> = {
  late: {
    takes: '"lateS": seconds, and either "count": of rows or "share": above 0, at most 1',
    does: 'new rows are neither listed nor counted until so long after their creation',
  },
  change: { takes: CHOSEN, does: 'failed rows become completed now' },
  vanish: { takes: CHOSEN, does: 'rows with an outcome are no longer listed nor counted' },
  undelivered: {
    takes: CHOSEN,
    does: 'completed rows count, for offsets too, and are left out of lists',
  },
  repeat: {
    takes: '"every": 1 or more',
    does: 'about one row in so many stands twice in every list; the total counts it once',
  },
  shuffle: { takes: '', does: 'the rows of a page are in no order' },
  burst: {
    takes: `"count": of rows, optional "pendingS": seconds (default 10), ${NETWORK_IDS}`,
    does: 'so many rows are created now, in one millisecond',
  },
  rate: {
    takes: `"perS": rows a second up to 1000 (0: no more; those that came stay), optional "pendingS": seconds (default 15), ${NETWORK_IDS}`,
    does: 'so many more rows come steadily, each pending for so long',
  },
  empty: { takes: '', does: 'the store was emptied: only rows created from now on are there' },
  race: {
    takes: '"by": a whole number other than 0, may be below, optional "share": of the answers (default 1)',
    does: 'the total is so many more than there are rows',
  },
  starting: {
    takes: `"minutes": above 0, optional ${NETWORK_IDS}, "zero": true for network_id 0 among the configs`,
    does: 'for so long a list of one of these networks is refused with 400; lists of all networks have their rows',
  },
  clock: {
    takes: '"offS": a whole number of seconds, below 0 for slow, 0 for right again',
    does: 'the clock of this service is off: Date, and what it writes down from now on',
  },
};
