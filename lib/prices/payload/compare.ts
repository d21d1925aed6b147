import type { FeedUpdate } from '@/lib/core/feed';
import type { DecodedUpdate, PriceMessage } from './decode';

/** One member of a price, by its wire name, in the signed payload and in the parsed form beside it: decimal digits. */
export type MemberComparison = {
  readonly member: string;
  readonly inPayload: string;
  /** Absent where the parsed form does not hold it. */
  readonly inParsed?: string;
  readonly verdict: 'same' | 'differs' | 'untold';
};

/** A message of the payload beside what the answer said in plain JSON. */
export type MessageComparison =
  | {
      readonly kind: 'compared';
      readonly verdict: 'same' | 'differs';
      readonly members: readonly MemberComparison[];
    }
  /** The parsed form has no such feed, or there is none. */
  | { readonly kind: 'unmatched'; readonly members: readonly MemberComparison[] }
  /** The message is no price. */
  | { readonly kind: 'other' };

function digits(value: bigint | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function membersOf(message: PriceMessage, slot: bigint, parsed: FeedUpdate | undefined): MemberComparison[] {
  const ema = parsed?.ema;
  const pairs: readonly (readonly [
    member: string,
    inPayload: bigint | number,
    inParsed: string | undefined,
  ])[] = [
    ['price.price', message.price, digits(parsed?.price.mantissa)],
    ['price.conf', message.conf, digits(parsed?.conf.mantissa)],
    ['price.expo', message.expo, digits(parsed?.price.expo)],
    ['price.publish_time', message.publishTimeS, digits(parsed?.publishTime)],
    ['ema_price.price', message.emaPrice, digits(ema?.price.mantissa)],
    ['ema_price.conf', message.emaConf, digits(ema?.conf.mantissa)],
    ['ema_price.expo', message.expo, digits(ema?.price.expo)],
    ['ema_price.publish_time', message.publishTimeS, digits(ema?.publishTime)],
    ['metadata.prev_publish_time', message.prevPublishTimeS, digits(parsed?.prevPublishTime)],
    ['metadata.slot', slot, parsed?.slot],
  ];
  return pairs.map(([member, payloadValue, inParsed]) => {
    const inPayload = String(payloadValue);
    if (inParsed === undefined) return { member, inPayload, verdict: 'untold' };
    return { member, inPayload, inParsed, verdict: inPayload === inParsed ? 'same' : 'differs' };
  });
}

/** Of several updates of one feed, the one of the same second; else the first, so that the difference is shown. */
function counterpart(
  { id, publishTimeS }: PriceMessage,
  parsed: readonly FeedUpdate[],
): FeedUpdate | undefined {
  const same = parsed.filter((one) => one.id === id);
  return same.find(({ publishTime }) => BigInt(publishTime) === publishTimeS) ?? same[0];
}

/**
 * Compares each message with the parsed form of the same answer, member by member and to the digit: nothing is rescaled, the
 * two are the same integers or they differ. In the order of the messages.
 */
export function comparePayloadWithParsed(
  update: DecodedUpdate,
  parsed: readonly FeedUpdate[],
): MessageComparison[] {
  return update.updates.map(({ message }) => {
    if (message.kind === 'other') return { kind: 'other' };
    const beside = counterpart(message, parsed);
    const members = membersOf(message, update.body.payload.slot, beside);
    if (beside === undefined) return { kind: 'unmatched', members };
    const verdict = members.some((one) => one.verdict === 'differs') ? 'differs' : 'same';
    return { kind: 'compared', verdict, members };
  });
}

/** Feeds of the parsed form that none of the payloads holds. */
export function parsedWithoutPayload(
  updates: readonly DecodedUpdate[],
  parsed: readonly FeedUpdate[],
): FeedUpdate[] {
  const held = new Set(
    updates.flatMap((update) =>
      update.updates.flatMap(({ message }) => (message.kind === 'price' ? [message.id] : [])),
    ),
  );
  return parsed.filter(({ id }) => !held.has(id));
}
