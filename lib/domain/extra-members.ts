import { isWireObject, member, type WireDocument } from './wire-json';

/** A member that the contract does not name: where it stands, and its JSON text. */
export type ExtraMember = { path: string; json: string };

/** The members of an object by name: `leaf` has no known members below it. */
export type KnownMembers = { readonly [name: string]: KnownMembers | 'leaf' };

/** The price object of the contract. */
const PRICE: KnownMembers = { price: 'leaf', conf: 'leaf', expo: 'leaf', publish_time: 'leaf' };

/** An element of `parsed`, with the members of the deprecated route's verbose metadata. */
export const FEED_UPDATE: KnownMembers = {
  id: 'leaf',
  price: PRICE,
  ema_price: PRICE,
  metadata: {
    prev_publish_time: 'leaf',
    proof_available_time: 'leaf',
    slot: 'leaf',
    emitter_chain: 'leaf',
    price_service_receive_time: 'leaf',
  },
};

/** The body of the deprecated route: one of them, with its binary form. */
export const DEPRECATED_FEED: KnownMembers = { ...FEED_UPDATE, vaa: 'leaf' };

/** An element of the feed directory, whose attributes are open by the contract's own words. */
export const DIRECTORY_ENTRY: KnownMembers = { id: 'leaf', attributes: 'leaf' };

/** At most so many of one answer are told: a hostile one may hold a million. */
const MOST_OF_AN_ANSWER = 50;

/** Adds to `found` the members of `value`, and of the objects in it, that are not known. */
export function findExtraMembers(
  value: unknown,
  known: KnownMembers,
  place: string,
  textOf: WireDocument['textOf'],
  found: ExtraMember[],
): void {
  if (!isWireObject(value)) return;
  for (const name in value) {
    const below = Object.hasOwn(known, name) ? known[name] : undefined;
    if (below === undefined) {
      if (found.length >= MOST_OF_AN_ANSWER) return;
      found.push({ path: `${place}.${name}`, json: textOf(member(value, name)) });
    } else if (below !== 'leaf') {
      findExtraMembers(member(value, name), below, `${place}.${name}`, textOf, found);
    }
  }
}
