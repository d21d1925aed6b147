/** Those who wait for updates of this page even while nobody sees it: its alerts. */
const waiting = new Set<object>();

/** While it holds, a page in the background keeps its stream and works updates in. Gives a function that ends it. */
export function needUpdates(): () => void {
  const one = {};
  waiting.add(one);
  return () => {
    waiting.delete(one);
  };
}

/** Whether anybody waits for updates while the page is hidden. */
export function areUpdatesNeeded(): boolean {
  return waiting.size > 0;
}

/** How late a hidden page works in what it received: browsers let its timers run once a second, or more rarely. */
const HIDDEN_FRAME_MS = 1_000;

type FrameEdges = {
  readonly frame: (run: () => void) => void;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/** The next frame, or a timer where updates are needed and no frame comes, because the page is hidden. Runs once. */
export function frameOrTimer(run: () => void, { frame, setTimer, clearTimer }: FrameEdges): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    clearTimer(timer);
    run();
  };
  const timer = areUpdatesNeeded() ? setTimer(once, HIDDEN_FRAME_MS) : undefined;
  frame(once);
}
