import { mkdirSync, writeFileSync } from 'node:fs';

/** One figure; with `atMost` it is a gate, without it is only printed. */
export type Figure = { what: string; value: number; unit: string; atMost?: number };

const shown = (value: number) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 2);

/** Prints the figures as a table, writes them to bench/results.json, and tells whether every gate holds. */
export function report(figures: Figure[]): boolean {
  const width = Math.max(...figures.map((figure) => figure.what.length));
  for (const { what, value, unit, atMost } of figures) {
    const gate = atMost === undefined ? '' : `  gate ≤ ${atMost}  ${value <= atMost ? 'holds' : 'BROKEN'}`;
    process.stdout.write(`${what.padEnd(width)}  ${shown(value).padStart(9)} ${unit.padEnd(6)}${gate}\n`);
  }
  mkdirSync('bench', { recursive: true });
  writeFileSync(
    'bench/results.json',
    `${JSON.stringify({ at: new Date().toISOString(), node: process.version, figures }, null, 1)}\n`,
  );
  const broken = figures.filter((figure) => figure.atMost !== undefined && !(figure.value <= figure.atMost));
  process.stdout.write(broken.length === 0 ? 'Every gate holds.\n' : `${broken.length} gates are broken.\n`);
  return broken.length === 0;
}
