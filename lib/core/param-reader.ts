import type { UrlProblem } from './text';

/** Collects unreadable and unknown parameters. An empty value counts as absent. */
export class ParamReader {
  readonly problems: UrlProblem[] = [];
  readonly #params: URLSearchParams;

  constructor(params: URLSearchParams, names: readonly string[]) {
    this.#params = params;
    for (const name of new Set(params.keys())) {
      if (!names.includes(name)) this.report(name, params.get(name) ?? '', 'No such parameter.');
    }
  }

  /** @param used true if the value was applied although it has a problem */
  report(param: string, value: string, message: string, used?: true): void {
    this.problems.push({ param, value, message, ...(used ? { used } : {}) });
  }

  all(name: string): string[] {
    return this.#params.getAll(name).filter((value) => value !== '');
  }

  once<T>(name: string, read: (text: string) => T | undefined, message = ''): T | undefined {
    const [first, ...more] = this.all(name);
    for (const value of more) {
      this.report(name, value, `${name} can be given only once: the first one is used.`);
    }
    const value = first === undefined ? undefined : read(first);
    if (first !== undefined && value === undefined) this.report(name, first, message);
    return value;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], what = 'Use'): T | undefined {
    return this.once(
      name,
      (text) => choices.find((choice) => choice === text),
      `${what} one of ${choices.join(', ')}.`,
    );
  }

  /** Readable values of a repeatable parameter, without repetition. */
  each<T>(
    name: string,
    read: (text: string) => T | undefined,
    message: string,
    textOf: (value: T) => string = String,
  ): T[] {
    const values = new Map<string, T>();
    for (const text of this.all(name)) {
      const value = read(text);
      if (value === undefined) this.report(name, text, message);
      else if (!values.has(textOf(value))) values.set(textOf(value), value);
    }
    return [...values.values()];
  }
}
