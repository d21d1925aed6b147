import { trimEndWhere } from './text';

/** Format characters and variation selectors, which come along when text is copied. */
const INVISIBLE = /\p{Cf}|\u034f|[\ufe00-\ufe0f]/gu;
/** ASCII as East Asian keyboards write it (`０ｘ１２`, `：`, `＃`), and the full-width space. */
const FULL_WIDTH = /[\uff01-\uff5e\u3000]/g;

const toAscii = (character: string) =>
  character === '\u3000' ? ' ' : String.fromCharCode(character.charCodeAt(0) - 0xfee0);

/** The visible part of a pasted text, with full-width characters as ASCII. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, '').replace(FULL_WIDTH, toAscii);
}

/** Blanks, quotes, brackets, chat markup and punctuation. */
const OPENING = /^[\s"'`´“”„‘’«»‹›「」『』,;:!?<>()[\]{}|*~\\•、。]+/;
const isWrapping = (character: string) => OPENING.test(character);

const withoutWrapping = (text: string) => trimEndWhere(text, isWrapping).replace(OPENING, '');

/** Several trailing full stops stay, because they show that the text was shortened. */
export function stripWrapping(text: string): string {
  const inner = withoutWrapping(text);
  return /[^.]\.$/.test(inner) ? withoutWrapping(inner.slice(0, -1)) : inner;
}
