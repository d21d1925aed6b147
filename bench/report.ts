import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * A measured figure. `atMost` and `atLeast` make it a gate. An `aim` is for a quiet machine: printed, but it never
 * fails.
 */
export type Figure = { what: string; value: number; unit: string } & Limits;
export type Limits = { atMost?: number; atLeast?: number; aim?: number };

export function figure(what: string, value: number, unit = '', limits: Limits = {}): Figure {
  return { what, value, unit, ...limits };
}

function holds({ value, atMost, atLeast }: Figure): boolean {
  // NaN fails every gate.
  if (atMost !== undefined && !(value <= atMost)) return false;
  return atLeast === undefined || value >= atLeast;
}

function expectation(of: Figure): string {
  const { atMost, atLeast, aim } = of;
  const gate = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : undefined;
  if (gate !== undefined) return `  gate ${gate}  ${holds(of) ? 'holds' : 'BROKEN'}`;
  return aim === undefined ? '' : `  aim ${aim}`;
}

const shown = (value: number) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 2);

/** Prints a table and writes a file of `bench`. Returns whether every gate holds. */
export function report(figures: readonly Figure[], file = 'results.json'): boolean {
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const figure of figures) {
    const value = shown(figure.value).padStart(9);
    process.stdout.write(
      `${figure.what.padEnd(width)}  ${value} ${figure.unit.padEnd(6)}${expectation(figure)}\n`,
    );
  }
  mkdirSync('bench', { recursive: true });
  const results = { at: new Date().toISOString(), node: process.version, figures };
  writeFileSync(`bench/${file}`, `${JSON.stringify(results, null, 1)}\n`);
  const broken = figures.filter((figure) => !holds(figure));
  process.stdout.write(broken.length === 0 ? 'Every gate holds.\n' : `${broken.length} gates are broken.\n`);
  return broken.length === 0;
}
