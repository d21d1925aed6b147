import type { FeedUpdate } from '@/lib/core/feed';
import { countOf, formatScaled, groupDigits } from '@/lib/core/numbers';
import { type DecodedUpdate, type PriceMessage, type ProvenMessage, secondsAsIso } from './decode';

/** Decimal digits, in the signed payload and in the parsed form. */
export type MemberComparison = ReturnType<typeof membersOf>[number];

/** `partly`: equal, but members are missing in the JSON. `unmatched`: the JSON lacks the feed. `other`: not a price. */
export type MessageComparison = {
  proven: ProvenMessage;
  verdict: 'same' | 'partly' | 'differs' | 'unmatched' | 'other';
  members: readonly MemberComparison[];
};

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit) => [digit, sign])),
  '-': '⁻',
};
/** `-8` → `⁻⁸` */
const superscript = (expo: number) => [...String(expo)].map((sign) => SUPERSCRIPTS[sign]).join('');

function membersOf(message: PriceMessage, slot: bigint, parsed: FeedUpdate | undefined) {
  const { expo, publishTimeS, prevPublishTimeS } = message;
  const scaled = (mantissa: bigint) => formatScaled({ mantissa, expo }, { groupSeparator: ',' });
  const power = `× 10${superscript(expo)}`;
  const ema = parsed?.ema;
  const rows: [string, bigint | number, bigint | number | string | undefined, string?][] = [
    ['Price', message.price, parsed?.price.mantissa, scaled(message.price)],
    ['Confidence', message.conf, parsed?.conf.mantissa, scaled(message.conf)],
    ['Exponent', expo, parsed?.price.expo, power],
    ['Publish time', publishTimeS, parsed?.publishTime, secondsAsIso(publishTimeS)],
    ['EMA price', message.emaPrice, ema?.price.mantissa, scaled(message.emaPrice)],
    ['EMA confidence', message.emaConf, ema?.conf.mantissa, scaled(message.emaConf)],
    ['EMA exponent', expo, ema?.price.expo, power],
    ['EMA publish time', publishTimeS, ema?.publishTime, secondsAsIso(publishTimeS)],
    ['Previous publish time', prevPublishTimeS, parsed?.prevPublishTime, secondsAsIso(prevPublishTimeS)],
    ['Slot', slot, parsed?.slot, groupDigits(String(slot))],
  ];
  return rows.map(([member, inPayload, inParsed, meaning]) => ({
    member,
    inPayload: String(inPayload),
    // The exact decimal, or the date.
    meaning,
    inParsed: inParsed === undefined ? undefined : String(inParsed),
  }));
}

export const isDifferent = ({ inPayload, inParsed }: MemberComparison) =>
  inParsed !== undefined && inParsed !== inPayload;

const isMissing = ({ inParsed }: MemberComparison) => inParsed === undefined;

/** Digit by digit. */
export function comparePayloadWithParsed(
  { updates, slot }: DecodedUpdate,
  parsed: readonly FeedUpdate[],
): MessageComparison[] {
  return updates.map((proven) => {
    const { message } = proven;
    if (message.kind === 'other') return { proven, verdict: 'other', members: [] };
    // The update of the same second is compared, or else the first, so that the difference shows.
    const same = parsed.filter(({ id }) => id === message.id);
    const match = same.find((update) => BigInt(update.publishTime) === message.publishTimeS) ?? same[0];
    const members = membersOf(message, slot, match);
    if (match === undefined) return { proven, verdict: 'unmatched', members };
    if (members.some(isDifferent)) return { proven, verdict: 'differs', members };
    return { proven, verdict: members.some(isMissing) ? 'partly' : 'same', members };
  });
}

/** Whether the parsed form of an answer equals its payload. */
export function parsedFormVerdict(comparisons: readonly MessageComparison[]) {
  const count = comparisons.length;
  const having = (word: MessageComparison['verdict']) =>
    comparisons.filter(({ verdict }) => verdict === word).length;
  const [same, partly, differing] = [having('same'), having('partly'), having('differs')];
  if (same === count && count > 0)
    return { tone: 'good', title: 'Equal', text: 'Every figure, to the last digit.' } as const;
  if (same + partly === count && count > 0) {
    const members = comparisons.flatMap((comparison) => comparison.members);
    const missing = members.filter(isMissing).length;
    return {
      tone: 'warn',
      title: `Equal in ${members.length - missing} of ${members.length} members`,
      text: `${missing} ${missing === 1 ? 'is' : 'are'} not in the parsed form.`,
    } as const;
  }
  const absent = count - same - partly - differing;
  const parts = [
    differing > 0 && `${differing} ${differing === 1 ? 'differs' : 'differ'}`,
    partly > 0 && `${partly} equal in part`,
    absent > 0 && `${absent} not in the parsed form`,
  ].filter(Boolean);
  return {
    tone: differing > 0 ? 'bad' : 'warn',
    title: `${same} of ${countOf(count, 'message')} equal`,
    text: parts.length === 0 ? '' : `${parts.join(', ')}.`,
  } as const;
}

export function feedIdsOf(updates: readonly DecodedUpdate[]): Set<string> {
  const messages = updates.flatMap((update) => update.updates.map(({ message }) => message));
  return new Set(messages.flatMap((message) => (message.kind === 'price' ? [message.id] : [])));
}
