/** Hears that the past of the log services was rewritten; what it returns is awaited. */
export type RewriteListener = () => Promise<void>;

/** A listener that hangs must not hold the control interface for ever. */
const MAX_WAIT_MS = 10_000;

/**
 * Who is told of orders after which the log services have another past: whoever keeps a copy of their rows
 * in this process can drop it before the order is answered.
 */
export class RewriteListeners {
  private readonly listeners = new Set<RewriteListener>();

  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** Returns the function that ends it. */
  add(listener: RewriteListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Calls all listeners and waits for them, at most 10 s. One that fails is noted and does not matter to the others. */
  async tell(): Promise<void> {
    if (this.listeners.size === 0) return;
    const calls = [...this.listeners].map((listener) =>
      listener().catch((error: unknown) => console.error('sandbox: a listener of rewrites failed:', error)),
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.maxWaitMs);
    });
    await Promise.race([Promise.all(calls), late]);
    clearTimeout(timer);
  }
}
