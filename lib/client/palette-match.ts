/** What a word is worth in a text; undefined where its letters are not even in order in one of the text's words. */
function wordScore(text: string, word: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return 4;
  if (at > 0) return /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 3 : 2;
  return text.split(' ').some((one) => one[0] === word[0] && isSubsequence(one, word)) ? 1 : undefined;
}

function isSubsequence(text: string, word: string): boolean {
  let from = 0;
  for (const letter of word) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/**
 * How well a text fits what was typed: every typed word has to be found in it, at its beginning best, then at the
 * beginning of a word, inside one, or as letters of one with gaps. Undefined when it does not fit.
 */
export function fuzzyScore(text: string, typed: string): number | undefined {
  const inside = text.toLowerCase();
  let sum = 0;
  for (const word of typed.toLowerCase().split(/\s+/)) {
    if (word === '') continue;
    const score = wordScore(inside, word);
    if (score === undefined) return undefined;
    sum += score;
  }
  // Of two that fit alike the shorter one is nearer to what was typed.
  return sum - Math.min(0.9, text.length / 1000);
}

/** Those that fit, best first, in their own order among equals; all of them for an empty text. At most `most`. */
export function fuzzyMatches<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  typed: string,
  most: number,
): T[] {
  if (typed.trim() === '') return items.slice(0, most);
  return items
    .flatMap((item) => {
      const score = fuzzyScore(textOf(item), typed);
      return score === undefined ? [] : { item, score };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item);
}
