/** Failure texts for grouping: hex becomes `0x…`, a number `#`, the rest `…`. Names with digits (`ERC20`) stay. */

const HEX = '[0-9a-fA-F]';
const BEFORE = '(?<![0-9a-zA-Z])';
const AFTER = '(?![0-9a-zA-Z])';

/** Top-level domains of hosts without a port. Any other word with a dot is an identifier, such as `msg.sender`. */
const TOP_DOMAINS = 'com|net|org|io|xyz|dev|network|cloud|app|ai|finance|foundation|local|internal|localhost';
/** `main.rs:12` is a line of a file, not a host with a port. */
const SOURCE_FILES = 'rs|sol|vy|ts|tsx|js|mjs|go|py|c|h|cpp|java';

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const TIME = '\\d\\d?:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?: ?(?:Z|UTC|GMT)|[+-]\\d\\d:?\\d\\d)?';
const WEEKDAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? ';

/** The selector of an unknown error serves as its name, so it stays. */
const SELECTOR = `(?<=(?:error|selector):? )0x${HEX}{8}${AFTER}`;

/** Kinds rather than instances, which are not replaced. */
const NAMES = [
  '(?:ERC|EIP|BIP|RFC)-?\\d+',
  `${BEFORE}(?:u?int|bytes|sha|SHA|keccak|base|ed|utf-?|UTF-?|[uifHU])\\d{1,5}${AFTER}`,
  `${BEFORE}secp\\d+[kr]1`,
  '[vVL]\\d(?!\\d)',
  SELECTOR,
  '0x…',
].join('|');

const NUMBER = '\\d+(?:[.,_]\\d+)*';
const DURATION = `(?:\\d+(?:\\.\\d+)?(?:ns|µs|μs|us|ms|sec|s|min|m|h|d) ?)*\\d+(?:\\.\\d+)?(?:ns|µs|μs|us|ms|sec|s|min|m|h|d)${AFTER}`;
const ORDINAL = `\\d+(?:st|nd|rd|th)${AFTER}`;

/** The dash of `block-7` belongs to the word, not to the number. */
const NUMBERS = new RegExp(
  `(${NAMES})|(?:(?<=^|[\\s([{=:,"'])[-−+])?(?:${DURATION}|${ORDINAL}|${NUMBER}(?:e[+-]?\\d+)?)`,
  'g',
);

const ITEM = '(?:0x…|#|…|\\.\\.\\.)';

type Step = readonly [form: RegExp, put: string | ((match: string, name?: string) => string)];

/** Steps in an order in which composite forms come before their parts. */
const STEPS: readonly Step[] = [
  // Punctuation at the end belongs to the sentence around the URL.
  [/\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}:\/\/[^\s"<>]*[^\s"<>)\]}'.,;:!?]/g, '…'],
  [/(?<![\w+/-])[\w+/-]{24,}={0,2}/g, (match) => (isBase64(match) ? '…' : match)],
  [new RegExp(`${BEFORE}${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}${AFTER}`, 'g'), '…'],
  [new RegExp(`(?:${WEEKDAY})?\\d{1,2}[ -](?:${MONTHS})[a-z]{0,6}[ -]\\d{4},? ${TIME}`, 'g'), '#'],
  [new RegExp(`\\d{4}-\\d\\d-\\d\\d(?:[T ]${TIME})?`, 'g'), '#'],
  [
    new RegExp(
      `(?<![0-9a-zA-Z.-])(?:[a-zA-Z0-9-]{1,63}\\.){0,9}(?:(?:${TOP_DOMAINS})(?::\\d+)?|(?!(?:${SOURCE_FILES}):)[a-zA-Z][a-zA-Z0-9-]{1,62}(?<=\\..*):\\d+)(?![0-9a-zA-Z.-]*[0-9a-zA-Z])`,
      'g',
    ),
    '…',
  ],
  [
    new RegExp(
      `\\[?(?<![\\w:])(?=[0-9a-f:.]*\\d)(?:${HEX}{0,4}:){2,7}${HEX}{1,4}(?![\\w:])(?:\\](?::\\d+)?)?`,
      'g',
    ),
    '…',
  ],
  [
    new RegExp(`(${SELECTOR})|(?<!\\d)0[xX]${HEX}*(?:(?:…|\\.\\.\\.)${HEX}*)?`, 'g'),
    (_, name) => name ?? '0x…',
  ],
  [new RegExp(`${BEFORE}${HEX}{1,16}(?:…|\\.\\.\\.(?=${HEX}*\\d))${HEX}{1,16}${AFTER}`, 'g'), '0x…'],
  [new RegExp(`${BEFORE}(?=${HEX}*\\d)(?=\\d*[a-fA-F])${HEX}{16,}${AFTER}`, 'g'), '0x…'],
  [NUMBERS, (_, name) => name ?? '#'],
  [/# (second|minute|hour|day|block|confirmation|attempt|time|byte|gas unit)s?\b/g, '# $1s'],
  [new RegExp(`\\[\\s*(?:${ITEM}(?:\\s*,\\s*${ITEM})*\\s*,?\\s*)?(?:\\]|$)`, 'g'), '[…]'],
  [new RegExp(`(${ITEM})(?:, ?${ITEM})+`, 'g'), '$1'],
];

/** Capitals, lower-case letters and digits are mixed at random, unlike in a name in camel case. */
function isBase64(token: string): boolean {
  if (/^(?:0x)?[0-9a-fA-F-]+$/.test(token)) return false;
  if (token.endsWith('=')) return true;
  const kinds = [...token].map((char) => (/\d/.test(char) ? 0 : /[A-Z]/.test(char) ? 1 : 2));
  const changes = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  const numbers = token.match(/\d+/g)?.length ?? 0;
  if (changes * 3 >= token.length && numbers >= 3) return true;
  // One random token of 86 characters in ten thousand has fewer numbers. No name changes its case this often.
  return token.length >= 48 && changes * 5 >= token.length * 2 && numbers >= 1;
}

const MAX_READ = 10_000;
const MAX_CHARACTERS = 120;

/** A text on one line without particulars, at most 120 characters. */
export function withoutParticulars(text: string): string {
  return STEPS.reduce<string>(
    // The types of `replace` accept no union of text and function.
    (left, [form, put]) => (typeof put === 'string' ? left.replace(form, put) : left.replace(form, put)),
    text.slice(0, MAX_READ),
  )
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS);
}
