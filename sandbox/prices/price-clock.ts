/** What the price services need of the sandbox's clock. */
export type PriceClock = {
  /** Unix milliseconds. */
  now(): number;
  /** Calls the listener about every 50 ms and after each change of the clock, until the result is called. */
  onTick(listener: () => void): () => void;
};
