import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * One figure; with `atMost` or `atLeast` it is a gate. An `aim` is an absolute figure of a quiet machine: it is printed
 * beside the value and breaks nothing.
 */
export type Figure = {
  what: string;
  value: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
  aim?: number;
};

function holds({ value, atMost, atLeast }: Figure): boolean {
  // A figure that is not a number holds nothing.
  if (atMost !== undefined && !(value <= atMost)) return false;
  return atLeast === undefined || value >= atLeast;
}

function expectation(figure: Figure): string {
  const { atMost, atLeast, aim } = figure;
  const gate = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : undefined;
  if (gate !== undefined) return `  gate ${gate}  ${holds(figure) ? 'holds' : 'BROKEN'}`;
  return aim === undefined ? '' : `  aim ${aim}`;
}

const shown = (value: number) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 2);

/** Prints the figures as a table, writes them to bench/results.json, and tells whether every gate holds. */
export function report(figures: Figure[]): boolean {
  const width = Math.max(...figures.map((figure) => figure.what.length));
  for (const figure of figures) {
    const { what, value, unit } = figure;
    process.stdout.write(
      `${what.padEnd(width)}  ${shown(value).padStart(9)} ${unit.padEnd(6)}${expectation(figure)}\n`,
    );
  }
  mkdirSync('bench', { recursive: true });
  writeFileSync(
    'bench/results.json',
    `${JSON.stringify({ at: new Date().toISOString(), node: process.version, figures }, null, 1)}\n`,
  );
  const broken = figures.filter((figure) => !holds(figure));
  process.stdout.write(broken.length === 0 ? 'Every gate holds.\n' : `${broken.length} gates are broken.\n`);
  return broken.length === 0;
}
