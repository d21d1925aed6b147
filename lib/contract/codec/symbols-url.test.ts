import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_SYMBOLS,
  formatSymbolsUrl,
  parseSymbolsUrl,
  SYMBOL_SORTS,
  SYMBOLS_PATH,
  searchText,
} from './symbols-url';

const parse = (query: string) => parseSymbolsUrl(new URLSearchParams(query));
const values = fc.uniqueArray(fc.string({ maxLength: 24, unit: 'grapheme' }), { maxLength: 4 });

describe('the address of the symbol directory', () => {
  it('is the short one for everything', () => {
    expect(formatSymbolsUrl(ALL_SYMBOLS)).toBe(SYMBOLS_PATH);
    expect(parse('view=symbols')).toEqual({ view: ALL_SYMBOLS, problems: [] });
  });

  it('can be read by a person', () => {
    const view = {
      find: 'btc/usd',
      chosen: { class: ['crypto', ''], state: ['stable'], channel: ['fixed_rate@200ms'] },
      sort: 'router' as const,
    };
    expect(formatSymbolsUrl(view)).toBe(
      '/prices?view=symbols&find=btc/usd&class=crypto&class=&state=stable&channel=fixed_rate@200ms&sort=router',
    );
  });

  it('gives back what was put in', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 120, unit: 'binary' }).map(searchText),
        fc.record({ class: values, state: values, channel: values }),
        fc.constantFrom(...SYMBOL_SORTS),
        (find, texts, sort) => {
          const short = (list: string[]) => list.filter((one) => one.length <= 100);
          const chosen = {
            class: short(texts.class),
            state: short(texts.state),
            channel: short(texts.channel),
          };
          const url = formatSymbolsUrl({ find, chosen, sort });
          expect(parse(url.split('?')[1] ?? '')).toEqual({ view: { find, chosen, sort }, problems: [] });
        },
      ),
    );
  });

  it('says what of it can’t be read, and shows the rest', () => {
    const long = 'x'.repeat(101);
    const { view, problems } = parse(`view=symbols&find=eur&sort=size&class=fx&class=${long}&page=2`);
    expect(view).toEqual({ ...ALL_SYMBOLS, find: 'eur', chosen: { ...ALL_SYMBOLS.chosen, class: ['fx'] } });
    expect(problems.map(({ param }) => param)).toEqual(['sort', 'class', 'page']);
  });

  it('never holds half a character, which no address could', () => {
    expect(searchText('a\ud83d')).toBe('a\ufffd');
    expect(searchText(`${'a'.repeat(99)}😀`)).toBe(`${'a'.repeat(99)}😀`);
  });
});
