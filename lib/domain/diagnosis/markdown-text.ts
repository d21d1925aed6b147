/** Longer texts of strangers are cut: nobody reads them, and they could bury the rest. */
const MOST_CHARACTERS = 200;

/**
 * Line ends, other controls, and what turns or hides text: bidirectional marks, zero-width characters, tags, and halves
 * of surrogate pairs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

function oneLine(text: string): string {
  const line = text.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : line;
}

/**
 * A text that may come from strangers, as Markdown that shows it and does nothing else: every ASCII punctuation mark is
 * escaped, so that it starts no link, tag, emphasis, heading, list or table, and no address in it becomes a link.
 */
export function plainMarkdown(text: string): string {
  return oneLine(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/**
 * A sentence of ours within a line: as `plainMarkdown`, but what means nothing between words stays as it is, so that it can
 * be read where Markdown is not drawn.
 */
export function sentenceMarkdown(text: string): string {
  return oneLine(text).replace(/(?![,;'()%])(?![.:?](?=\s|$))[!-/:-@[-`{-~]/g, '\\$&');
}

/** The text as code on one line, in more backticks than it has in a row: nothing inside it means anything. */
export function codeMarkdown(text: string): string {
  const line = oneLine(text);
  if (line === '') return '—';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Lines as a block of code; its fence is longer than any run of backticks in them. */
export function codeBlock(language: 'sh', lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(UNSEEN, ' ')).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/**
 * A link to an http or https address, with a label that is Markdown already; the label alone for any other address.
 * The address stands in angle brackets and holds none itself.
 */
export function linkMarkdown(label: string, address: string | undefined): string {
  if (address === undefined || !URL.canParse(address)) return label;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return label;
  const href = url.href.replace(/[<>\\`|\s]/g, (c) => encodeURIComponent(c));
  return `[${label}](<${href}>)`;
}
