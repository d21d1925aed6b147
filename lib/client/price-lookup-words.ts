import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { assertNever } from '@/lib/domain/assert-never';
import type { Failure } from '@/lib/domain/outcome';
import type { ComparisonVerdict, PriceComparison } from '@/lib/domain/price-comparison';
import { formatScaled } from '@/lib/domain/scaled-number';
import { signedSecondsText } from '@/lib/domain/unix-micros';
import { explainFailure } from './explain-failure';
import { clipped } from './foreign-text';
import type { LookupCell, NotAskedWhy } from './price-lookup';
import { type LookupRow, publishedApart } from './price-lookup-rows';

/** The head of a column. */
export const SOURCE_NAMES: Readonly<Record<LookupSource, { name: string; hint: string }>> = {
  updates: { name: 'Updates', hint: 'old host' },
  upgraded: { name: 'Upgraded', hint: 'upgraded host' },
  deprecated: { name: 'Deprecated route', hint: 'get_price_feed' },
  router: { name: 'Router', hint: 'chosen channel' },
};

/** Why a cell has no price: in a few words, and in full. */
export type CellWords = {
  readonly title: string;
  readonly text: string;
  /** The service's own words, made harmless. */
  readonly said?: string;
};

type NoPrice = Exclude<LookupCell, { kind: 'quote' | 'waiting' }>;

export function noPriceWords(cell: NoPrice, source: LookupSource): CellWords {
  switch (cell.kind) {
    case 'binary-only':
      return { title: 'Binary only', text: 'Asked for without its parsed form (parsed=false).' };
    case 'absent':
      return {
        title: 'No such feed',
        text:
          source === 'router'
            ? 'The answer leaves this feed out.'
            : 'The answer leaves this feed out: the service does not know the id.',
      };
    case 'unreadable':
      return { title: 'Unreadable', text: cell.problem, said: clipped(cell.rawJson, 300) };
    case 'failed':
      return failedWords(cell.failure, cell.together);
    case 'not-asked':
      return { title: 'Not asked', text: notAskedText(cell.why, clipped(cell.detail ?? '', 60)) };
    case 'cancelled':
      return { title: 'Cancelled', text: 'The lookup was stopped before this was answered.' };
    default:
      return assertNever(cell);
  }
}

const TITLES: Partial<Record<Failure['kind'], string>> = {
  missing: 'Not found',
  rejected: 'Refused',
  unauthorized: 'Key refused',
  'rate-limited': 'Calls limited',
  'too-many': 'Too many calls',
  failing: 'Service fails',
  unreachable: 'Not reached',
  timeout: 'Too slow',
  malformed: 'No usable answer',
  unconfigured: 'Not configured',
};

function failedWords(failure: Failure, together: number | undefined): CellWords {
  const words = explainFailure(failure);
  const others =
    together === undefined
      ? ''
      : ` Refused in one call with ${together} other ${together === 1 ? 'feed' : 'feeds'}; not asked alone.`;
  const title = TITLES[failure.kind] ?? 'Not asked';
  if (words.said !== undefined) return { title, text: others.trim(), said: words.said };
  // What to do stands in the first words where our key or our settings are at fault.
  const todo = failure.kind === 'unconfigured' || failure.kind === 'unauthorized' ? ` ${words.todo}` : '';
  return { title, text: `${words.title}.${todo}${others}` };
}

function notAskedText(why: NotAskedWhy, detail: string): string {
  switch (why) {
    case 'no-feed-id':
      return 'The directory knows no id of the update services for this feed.';
    case 'no-router-id':
      return 'The directory knows no router id for this feed.';
    case 'directory-missing':
      return 'Its id here is not known, as there is no symbol directory. Give both ids: router id, a colon, hex id.';
    case 'below-min-channel':
      return `The channel is below the feed’s minimum, ${detail}. Choose that one or a slower one.`;
    case 'not-served':
      return `The directory says ${detail}: the router serves no price of it.`;
    case 'no-second':
      return 'This route wants a second. With now it is asked for the one at which the others were published, and none of them says.';
    default:
      return assertNever(why);
  }
}

/** A difference in basis points with its sign: `+0.12 bp`, `0 bp`. */
export function bpsText({ differenceBps, difference }: PriceComparison): string {
  if (difference.mantissa === 0n) return '0 bp';
  if (differenceBps === undefined) return 'of a price of zero';
  const sign = differenceBps.mantissa > 0n ? '+' : '';
  return `${sign}${formatScaled(differenceBps)} bp`;
}

/** The combined confidence in basis points; empty where none is known. */
export function combinedText({ combinedBps, combined }: PriceComparison): string {
  if (combinedBps !== undefined) return `${formatScaled(combinedBps)} bp`;
  return combined === undefined ? '' : formatScaled(combined);
}

export const VERDICT_WORDS: Readonly<Record<ComparisonVerdict, string>> = {
  equal: 'Equal',
  within: 'Within confidence',
  beyond: 'Apart',
  untold: 'No confidence to judge by',
};

/** What decides a row's comparison; undefined where nothing is compared, and where all are equal. */
export function rowVerdictText(row: LookupRow): string | undefined {
  const { compared } = row;
  if (compared === undefined) return undefined;
  const pair = compared.pairs.find(({ comparison }) => comparison.verdict === compared.verdict);
  if (pair === undefined || compared.verdict === 'equal') return undefined;
  const names = `${SOURCE_NAMES[pair.source].name} and ${SOURCE_NAMES[pair.base].name}`;
  const apart = publishedApart(row, pair.source, pair.base);
  const times =
    apart === undefined || apart === 0n
      ? ''
      : ` They were published ${signedSecondsText(apart).slice(1)} apart.`;
  const size = bpsText(pair.comparison).replace(/^[+-]/, '');
  if (compared.verdict === 'untold') return `${names}: ${size} apart; one tells no confidence.${times}`;
  const than = compared.verdict === 'beyond' ? 'more than' : 'within';
  return `${names}: ${size} apart, ${than} their combined confidence of ${combinedText(pair.comparison)}.${times}`;
}
