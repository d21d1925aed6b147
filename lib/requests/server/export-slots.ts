import 'server-only';
import { processWide } from '@/lib/server/process-wide';

/** Each holds some megabytes and asks the service all the time; more of them only take turns in the call budget. */
export const MOST_EXPORTS = 4;

/** So many of them may be one client's, where there are several. */
export const MOST_EXPORTS_OF_ONE = 2;

/** The exports under way in this process. */
export class ExportSlots {
  #taken = 0;
  readonly #perClient = new Map<string, number>();

  constructor(
    private readonly most: number = MOST_EXPORTS,
    private readonly mostOfOne: number = MOST_EXPORTS_OF_ONE,
  ) {}

  /**
   * A place, given back by calling the result, any number of times; undefined when all are taken, or all that one client
   * may have.
   * @param client what a visitor is known by; empty where there is only one client
   */
  take(client: readonly string[] = []): (() => void) | undefined {
    const isFull = client.some((key) => (this.#perClient.get(key) ?? 0) >= this.mostOfOne);
    if (isFull || this.#taken >= this.most) return undefined;
    this.#count(client, 1);
    let held = true;
    return () => {
      if (held) this.#count(client, -1);
      held = false;
    };
  }

  #count(client: readonly string[], change: 1 | -1): void {
    this.#taken += change;
    for (const key of client) {
      const left = (this.#perClient.get(key) ?? 0) + change;
      if (left > 0) this.#perClient.set(key, left);
      else this.#perClient.delete(key);
    }
  }
}

const kept = processWide<ExportSlots>('export-slots');

export function exportSlots(): ExportSlots {
  const slots = kept.get() ?? new ExportSlots();
  kept.set(slots);
  return slots;
}
