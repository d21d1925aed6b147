/** What stands for a value in the title of a test that is run for several: of Vitest, of a template, or our own `…`. */
const PLACEHOLDER = /\$\{[^}]*\}|%(?:\.\d+)?[sdifjoOc]|\$[A-Za-z_][\w.]*|…/;
/** A title of so few letters of its own fits everything. */
const FEWEST_LETTERS = 8;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A pattern for the whole title with any text in the place of each placeholder, as source for `RegExp`. */
export function titlePattern(title: string): string {
  return title.split(PLACEHOLDER).map(escaped).join('[\\s\\S]+');
}

/** Every text in quotes of a source that may be a title, as the pattern of the titles it makes. */
function titlesOf(source: string): RegExp[] {
  const quoted = source.matchAll(/'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`/g);
  const texts = [...quoted].map(([, single, double, template]) => single ?? double ?? template ?? '');
  const own = texts.filter((text) => text.split(PLACEHOLDER).join('').trim().length >= FEWEST_LETTERS);
  return own.map((text) => new RegExp(`^${titlePattern(text)}$`));
}

const known = new Map<string, RegExp[]>();

/** Whether a file of tests has a test of this title, or one that is run for several and may have it. */
export function hasTitle(source: string, title: string): boolean {
  const titles = known.get(source) ?? titlesOf(source);
  known.set(source, titles);
  return titles.some((pattern) => pattern.test(title));
}

/** The source of the one test with this title: up to where the next one begins; empty where there is none. */
export function bodyOf(source: string, title: string): string {
  // A test stands at the left, or within one block, and begins with its title.
  const tests = source.split(/\n(?=(?: {2})?[a-z]\w*(?:\.each)?\(\s*['"`])/);
  return tests.find((text) => hasTitle(text, title)) ?? '';
}
