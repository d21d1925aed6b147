/** The moment under the pointer, unix ms, and the tile that has the pointer. */
export type PointedMoment = { readonly atMs: number; readonly tile: Element };

type Follower = (pointed: PointedMoment | undefined) => void;

const followers = new Set<Follower>();
let current: PointedMoment | undefined;
let frame: number | undefined;

/** Tells every tile of the page, once a frame: a mouse moves several times between two. */
export function pointAt(pointed: PointedMoment | undefined): void {
  current = pointed;
  if (frame !== undefined) return;
  frame = requestAnimationFrame(() => {
    frame = undefined;
    for (const follow of followers) follow(current);
  });
}

/** Calls at once too, because a new drawing has other places for the same moment. Returns a function that stops it. */
export function followPointedMoment(follow: Follower): () => void {
  followers.add(follow);
  follow(current);
  return () => followers.delete(follow);
}
