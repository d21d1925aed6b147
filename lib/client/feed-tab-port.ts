import type { FeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import type { SourceEdges, SourceLink } from './feed-source';
import type { FeedSeat, FeedSwitchboard } from './feed-switchboard';
import type { FeedWish, WishEnd } from './feed-wish';

/** What a page says to the worker. Everything but `bye` is answered by `pong`. */
export type TabMessage =
  | { readonly kind: 'wish'; readonly wish: FeedWish }
  /** The page woke up, or is online again. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'bye'; readonly end?: WishEnd };

/** What the worker says to a page. `hello`: it knows no wish of the page, and waits for one. */
export type WorkerMessage =
  | { readonly kind: 'hello' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'event'; readonly event: FeedStreamEvent }
  | { readonly kind: 'link'; readonly link: SourceLink };

/** A page's end of the way to the worker. */
export type FeedTabPort = {
  send(message: TabMessage): void;
  listen(listener: (message: WorkerMessage) => void): void;
  close(): void;
};

/** The worker's end. */
export type FeedWorkerPort = {
  send(message: WorkerMessage): void;
  listen(listener: (message: TabMessage) => void): void;
  /** The browser tells that the page is gone; not every browser does. */
  onGone(listener: () => void): void;
};

/** A page that crashed says nothing any more; one that lives says something every 10 s. */
export const TAB_SILENCE_MS = 40_000;

/** Gives a page its seat on the switchboard, for as long as it is heard of. */
export function seatTab(port: FeedWorkerPort, switchboard: FeedSwitchboard, edges: SourceEdges): void {
  let seat: FeedSeat | undefined;
  let timer: unknown;
  const leave = (end?: WishEnd) => {
    edges.clearTimer(timer);
    seat?.leave(end);
    seat = undefined;
  };
  const take = (): FeedSeat =>
    switchboard.join({
      onEvent: (event) => port.send({ kind: 'event', event }),
      onLink: (link) => port.send({ kind: 'link', link }),
    });
  port.onGone(() => leave());
  port.listen((message) => {
    edges.clearTimer(timer);
    if (message.kind === 'bye') {
      leave(message.end);
      return;
    }
    timer = edges.setTimer(() => leave(), TAB_SILENCE_MS);
    if (message.kind === 'wish') {
      seat ??= take();
      seat.follow(message.wish);
    } else if (message.kind === 'wake') seat?.wake();
    port.send({ kind: seat === undefined ? 'hello' : 'pong' });
  });
  port.send({ kind: 'hello' });
}
