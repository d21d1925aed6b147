import type { SandboxFeed } from './feeds';
import type { FeedState, PriceModel } from './price-model';
import type { Generation } from './signers';
import { wireSlot } from './slots';
import type { UpdateBlobs } from './update-blobs';

export type Encoding = 'hex' | 'base64';

/** Which update of which feed an answer holds. */
export type ChosenUpdate = { feed: SandboxFeed; slot: number };

/** `price` and `ema_price` of an update as the service writes them: integers as text, beside their exponent. */
function priceObject(price: bigint, conf: bigint, state: FeedState) {
  return {
    price: price.toString(),
    conf: conf.toString(),
    expo: state.feed.expo,
    publish_time: state.publishTime,
  };
}

/** The members that the v2 routes and the deprecated route have in common. */
export function prices(state: FeedState) {
  return {
    id: state.feed.id,
    price: priceObject(state.price, state.conf, state),
    ema_price: priceObject(state.emaPrice, state.emaConf, state),
  };
}

function parsedUpdate(state: FeedState) {
  return {
    ...prices(state),
    metadata: {
      slot: wireSlot(state.slot),
      // The simulated proof is there at once.
      proof_available_time: state.publishTime,
      prev_publish_time: state.prevPublishTime,
    },
  };
}

/** Feeds of one slot share one blob; slots come in the order in which the feeds were asked for. */
function blobsOf(chosen: readonly ChosenUpdate[], blobs: UpdateBlobs, generation: Generation): Buffer[] {
  const bySlot = new Map<number, SandboxFeed[]>();
  for (const { feed, slot } of chosen) {
    const feeds = bySlot.get(slot);
    if (feeds) feeds.push(feed);
    else bySlot.set(slot, [feed]);
  }
  return [...bySlot].map(([slot, feeds]) => blobs.blob(slot, feeds, generation));
}

/** The update response body of the v2 routes and of each stream event, as JSON on one line. */
export function updateBody(
  chosen: readonly ChosenUpdate[],
  form: { encoding: Encoding; parsed: boolean },
  from: { model: PriceModel; blobs: UpdateBlobs; generation: Generation },
): string {
  const data = blobsOf(chosen, from.blobs, from.generation).map((blob) => blob.toString(form.encoding));
  const binary = { encoding: form.encoding, data };
  if (!form.parsed) return JSON.stringify({ binary });
  const parsed = chosen.map(({ feed, slot }) => parsedUpdate(from.model.at(feed, slot)));
  return JSON.stringify({ binary, parsed });
}
