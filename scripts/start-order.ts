import type { TestSequencerConstructor, TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Files whose names end like these begin before all others, in this order: what takes long must not run alone at the end. A
 * fresh clone knows of no file how long it takes.
 */
export function beginningWith(names: readonly string[]): TestSequencerConstructor {
  const placeOf = ({ moduleId }: TestSpecification) => {
    const place = names.findIndex((name) => moduleId.endsWith(name));
    return place < 0 ? names.length : place;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
    }
  };
}
