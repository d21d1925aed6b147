import type { UrlProblem } from '@/lib/domain/url-problem';

/** What the rows are sorted by. `best`: best match first, by symbol where nothing is looked for. */
export const SYMBOL_SORTS = ['best', 'symbol', 'class', 'state', 'channel', 'router'] as const;
export type SymbolSort = (typeof SYMBOL_SORTS)[number];

/** The members of a symbol that narrow the directory, by how the address calls them. */
export const SYMBOL_FACETS = ['class', 'state', 'channel'] as const;
export type SymbolFacet = (typeof SYMBOL_FACETS)[number];

/** What the symbol directory shows: its address, and nothing else, says so. */
export type SymbolsView = {
  /** Empty: all. */
  readonly find: string;
  /** Chosen values as the services write them, each once; empty: all. The value '' is what no service tells. */
  readonly chosen: Readonly<Record<SymbolFacet, readonly string[]>>;
  readonly sort: SymbolSort;
};

export const ALL_SYMBOLS: SymbolsView = {
  find: '',
  chosen: { class: [], state: [], channel: [] },
  sort: 'best',
};

export const SYMBOLS_PATH = '/prices?view=symbols';

/** No symbol and no id is longer. */
const LONGEST_FIND = 100;
/** No class, state or channel is longer; and more than these nobody chooses. */
const LONGEST_VALUE = 100;
const MOST_VALUES = 50;

const PARAMS: readonly string[] = ['view', 'find', 'sort', ...SYMBOL_FACETS];

/** Reads the query of the directory; what can't be read is reported, and the usual takes its place. */
export function parseSymbolsUrl(params: URLSearchParams): { view: SymbolsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report = (param: string, value: string, message: string) => problems.push({ param, value, message });
  const sortText = params.get('sort');
  const sort = SYMBOL_SORTS.find((one) => one === sortText);
  if (sortText !== null && sort === undefined) {
    report('sort', sortText, `It is one of ${SYMBOL_SORTS.join(', ')}.`);
  }
  const valuesOf = (facet: SymbolFacet): string[] => {
    const values = [...new Set(params.getAll(facet))];
    const kept = values.filter((value) => value.length <= LONGEST_VALUE).slice(0, MOST_VALUES);
    if (kept.length < values.length) {
      report(facet, `${values.length} values`, `${values.length - kept.length} are too many or too long.`);
    }
    return kept;
  };
  const view: SymbolsView = {
    find: searchText(params.get('find') ?? ''),
    chosen: { class: valuesOf('class'), state: valuesOf('state'), channel: valuesOf('channel') },
    sort: sort ?? ALL_SYMBOLS.sort,
  };
  for (const name of new Set(params.keys())) {
    if (!PARAMS.includes(name))
      report(name, params.get(name) ?? '', 'The symbol directory has no such parameter.');
  }
  return { view, problems };
}

/** The text that is looked for as an address can hold it: cut between characters, no halves of characters in it. */
export function searchText(text: string): string {
  return [...text]
    .slice(0, LONGEST_FIND)
    .map((character) => (/^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character))
    .join('');
}

/** The address of the directory: `/prices?view=symbols&find=btc&class=crypto&class=fx`. */
export function formatSymbolsUrl({ find, chosen, sort }: SymbolsView): `/prices?${string}` {
  const params = new URLSearchParams();
  if (find !== '') params.set('find', find);
  for (const facet of SYMBOL_FACETS) {
    for (const value of chosen[facet]) params.append(facet, value);
  }
  if (sort !== ALL_SYMBOLS.sort) params.set('sort', sort);
  // These may stand in a query as they are, and a person can read them.
  const more = params.toString().replaceAll('%2F', '/').replaceAll('%40', '@').replaceAll('%2C', ',');
  return more === '' ? SYMBOLS_PATH : `${SYMBOLS_PATH}&${more}`;
}
