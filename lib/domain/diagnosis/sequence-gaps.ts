/** Numbers that are absent between two that are there. All three are decimal text, both ends included. */
export type SequenceGap = { from: string; to: string; count: string };

/** @param sorted rising; the same number may stand there several times */
export function sequenceGaps(sorted: readonly bigint[]): SequenceGap[] {
  return sorted.flatMap((sequence, index) => gapBetween(sorted[index - 1], sequence) ?? []);
}

/** The numbers between two neighbours; undefined when they follow each other, are the same, or one is absent. */
export function gapBetween(before: bigint | undefined, after: bigint): SequenceGap | undefined {
  if (before === undefined || after - before <= 1n) return undefined;
  const count = (after - before - 1n).toString();
  return { from: (before + 1n).toString(), to: (after - 1n).toString(), count };
}

export function gapTotal(gaps: readonly SequenceGap[]): bigint {
  return gaps.reduce((sum, { count }) => sum + BigInt(count), 0n);
}

/** `101, 104–107, …`: the first gaps, for people. */
export function gapsText(gaps: readonly SequenceGap[], most = 10): string {
  const shown = gaps.slice(0, most).map(({ from, to }) => (from === to ? from : `${from}–${to}`));
  return [...shown, ...(gaps.length > most ? ['…'] : [])].join(', ');
}
