/**
 * The addresses that were set and that the router has yet to tell of. While it catches up with several in a row it
 * writes an older one into the address bar for a moment, so the bar can't be asked what was chosen last.
 */
export function setAddresses() {
  let untold: string[] = [];
  let told: string | undefined;
  return {
    set(address: string): void {
      untold.push(address);
    },
    /** The router shows this one; one that was not set here comes from elsewhere, such as a link, and ends the rest. */
    tell(address: string): void {
      if (address === told) return;
      told = address;
      const at = untold.lastIndexOf(address);
      untold = at === -1 ? [] : untold.slice(at + 1);
    },
    /** After Back and Forward the bar is right. */
    forget(): void {
      untold = [];
    },
    /** Undefined where the bar is right. */
    latest(): string | undefined {
      return untold.at(-1);
    },
  };
}
