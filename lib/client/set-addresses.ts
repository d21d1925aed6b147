export type SetAddress = { readonly path: string; readonly query: string };

/**
 * The addresses that were set and that are not drawn yet. While the router catches up with several in a row it writes
 * an older one into the address bar for a moment, so the bar can't be asked what was chosen last.
 */
export function setAddresses() {
  let round = 0;
  let undrawn: (SetAddress & { round: number })[] = [];
  return {
    /** @returns the number of its round, greater than any before */
    set(address: SetAddress): number {
      round += 1;
      undrawn.push({ ...address, round });
      return round;
    },
    /** Everything up to this round is drawn, or was left out for what is. */
    drawn(upTo: number): void {
      undrawn = undrawn.filter((set) => set.round > upTo);
    },
    /** Undefined where the bar is right. */
    latest(): SetAddress | undefined {
      return undrawn.at(-1);
    },
  };
}
