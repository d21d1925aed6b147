import { z } from 'zod';

const DAY_S = 86_400;
const MAX_ROWS = 100_000;

const whole = (min: number, max: number) => z.int().min(min).max(max);
const share = z.number().gt(0).lte(1);

/** By their ids; all of the keeper when none is named. */
const networkIds = z
  .array(z.union([z.string(), z.number()]).transform(String))
  .min(1)
  .optional();
const NETWORK_IDS = '"networkIds": [ids] (default all)';

/** The newest rows that have their outcome, of those created so many seconds ago or earlier. */
const chosen = { count: whole(1, MAX_ROWS), olderThanS: whole(0, 10 * 365 * DAY_S).default(0) };
const CHOSEN = '"count": of rows, optional "olderThanS": created so many seconds ago or earlier';

function order<K extends string, S extends z.ZodRawShape>(kind: K, shape: S, takes: string, does: string) {
  return { schema: z.strictObject({ kind: z.literal(kind), ...shape }), takes, does };
}

const late = order(
  'late',
  { lateS: whole(1, DAY_S), count: whole(1, MAX_ROWS).optional(), share: share.optional() },
  '"lateS": seconds, and either "count": of rows or "share": above 0, at most 1',
  'new rows are neither listed nor counted until so long after their creation',
);

/** What a log service can be told to do with its rows. Seconds and minutes are those of the sandbox clock. */
export const LOG_ORDERS = {
  late: {
    ...late,
    schema: late.schema.refine((one) => (one.count === undefined) !== (one.share === undefined)),
  },
  change: order('change', chosen, CHOSEN, 'failed rows become completed now'),
  vanish: order('vanish', chosen, CHOSEN, 'rows with an outcome are no longer listed nor counted'),
  undelivered: order(
    'undelivered',
    chosen,
    CHOSEN,
    'completed rows count, for offsets too, and are left out of lists',
  ),
  repeat: order(
    'repeat',
    { every: whole(1, 1_000_000) },
    '"every": 1 or more',
    'about one row in so many stands twice in every list; the total counts it once',
  ),
  shuffle: order('shuffle', {}, '', 'the rows of a page are in no order'),
  burst: order(
    'burst',
    { count: whole(1, MAX_ROWS), pendingS: whole(0, DAY_S).default(10), networkIds },
    `"count": of rows, optional "pendingS": seconds (default 10), ${NETWORK_IDS}`,
    'so many rows are created now, in one millisecond',
  ),
  rate: order(
    'rate',
    { perS: z.number().min(0).max(1000), pendingS: whole(0, DAY_S).default(15), networkIds },
    `"perS": rows a second up to 1000 (0: no more; those that came stay), optional "pendingS": seconds (default 15), ${NETWORK_IDS}`,
    'so many more rows come steadily, each pending for so long',
  ),
  empty: order('empty', {}, '', 'the store was emptied: only rows created from now on are there'),
  race: order(
    'race',
    { share: share.default(1), by: whole(-MAX_ROWS, MAX_ROWS).refine((by) => by !== 0) },
    '"by": a whole number other than 0, may be below, optional "share": of the answers (default 1)',
    'the total is so many more than there are rows',
  ),
  starting: order(
    'starting',
    { minutes: z.number().gt(0).max(1_000_000), networkIds, zero: z.boolean().default(false) },
    `"minutes": above 0, optional ${NETWORK_IDS}, "zero": true for network_id 0 among the configs`,
    'for so long a list of one of these networks is refused with 400; lists of all networks have their rows',
  ),
  clock: order(
    'clock',
    { offS: whole(-365 * DAY_S, 365 * DAY_S) },
    '"offS": a whole number of seconds, below 0 for slow, 0 for right again',
    'the clock of this service is off: Date, and what it writes down from now on',
  ),
};

export type LogOrderKind = keyof typeof LOG_ORDERS;
export type OrderOf<K extends LogOrderKind> = z.output<(typeof LOG_ORDERS)[K]['schema']>;
export type LogOrder = OrderOf<LogOrderKind>;
