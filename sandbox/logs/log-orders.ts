import { z } from 'zod';
import { kind } from '@/sandbox/service';

const DAY_S = 86_400;
const MAX_ROWS = 100_000;

const whole = (min: number, max: number) => z.int().min(min).max(max);
const share = z.number().gt(0).lte(1);

/** If absent, all networks of the keeper. */
const networkIds = z
  .array(z.union([z.string(), z.number()]).transform(String))
  .min(1)
  .optional();

/** The newest rows that were created at least `olderThanS` seconds ago. */
const chosen = { count: whole(1, MAX_ROWS), olderThanS: whole(0, 10 * 365 * DAY_S).default(0) };

/** Seconds and minutes are by the sandbox clock. */
export const logOrder = z.discriminatedUnion('kind', [
  kind(
    'late',
    { lateS: whole(1, DAY_S), count: whole(1, MAX_ROWS).optional(), share: share.optional() },
    'new rows are neither listed nor counted until so long after their creation: the next `count`, or a share of all',
  ).refine(
    (order) => (order.count === undefined) !== (order.share === undefined),
    'takes either count or share',
  ),
  kind('change', chosen, 'failed rows become completed now'),
  kind('rewrite', chosen, 'completed rows are dated as though they had finished now, as after a restart'),
  kind('vanish', chosen, 'rows with an outcome are no longer listed nor counted'),
  kind('undelivered', chosen, 'completed rows count, for offsets too, and are left out of lists'),
  kind(
    'repeat',
    { every: whole(1, 1_000_000) },
    'about one row in so many stands twice in every list; the total counts it once',
  ),
  kind('shuffle', {}, 'the rows of a page are in no order'),
  kind(
    'burst',
    { count: whole(1, MAX_ROWS), pendingS: whole(0, DAY_S).default(10), networkIds },
    'so many rows are created now, in one millisecond',
  ),
  kind(
    'rate',
    { perS: z.number().min(0).max(1000), pendingS: whole(0, DAY_S).default(15), networkIds },
    'so many more rows come steadily, each pending for so long; 0: no more, and those that came stay',
  ),
  kind('empty', {}, 'the store was emptied: only rows created from now on are there'),
  kind(
    'prune',
    { olderThanS: whole(0, 10 * 365 * DAY_S) },
    'rows older than that are thrown away, from now on and as time passes',
  ),
  kind('cap', { total: whole(0, MAX_ROWS) }, 'no total is larger than that, however many rows there are'),
  kind(
    'race',
    { share: share.default(1), by: whole(-MAX_ROWS, MAX_ROWS).refine((by) => by !== 0) },
    'in a share of the answers the total is so many more than there are rows',
  ),
  kind(
    'starting',
    { minutes: z.number().gt(0).max(1_000_000), networkIds, zero: z.boolean().default(false) },
    'for so long a list of one of these networks is refused with 400; lists of all networks have their rows; `zero`: the configs say network_id 0',
  ),
  kind(
    'clock',
    { offS: whole(-365 * DAY_S, 365 * DAY_S) },
    'the clock of this service is off: Date, and what it writes down from now on; 0: right again',
  ),
]);

export type LogOrder = z.output<typeof logOrder>;
export type OrderOf<K extends LogOrder['kind']> = Extract<LogOrder, { kind: K }>;
export const LOG_ORDER_KINDS = logOrder.options.map(({ shape }) => shape.kind.value);
