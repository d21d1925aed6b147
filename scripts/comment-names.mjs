/** Strings, regular expressions and comments of JavaScript or TypeScript; only a comment is captured. */
const TOKEN =
  /(\/\*[\s\S]*?\*\/|\/\/.*)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:?&|!{;[]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;
/** A name in backticks, also with parentheses, with members, or private. */
const QUOTED_NAME = /`(#?[A-Za-z_$][\w$]*(?:\.#?[A-Za-z_$][\w$]*)*)(?:\(\))?`/g;
/** A word outside of backticks in the form of a variable or of a constant. */
const BARE_NAME = /(?<![\w.`/#$-])([a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?![\w`])/g;
const PARAM = /@param\s+(?:\{[^}]*\}\s+)?\[?([\w$]+)/g;
/** Names in other programs and in comments for tools. */
const FOREIGN = ['RUST_BACKTRACE', 'USER_HZ', 'turbopackIgnore'];
/** A file of the project, by its name or the end of its path. */
const FILE = /(?<![\w/.-])((?:[\w@[\]-]+\/)*[\w.[\]-]+\.(?:tsx?|mjs|css|md))\b(?!\()/g;
const WORD = /#?[A-Za-z_$][\w$]*/g;

/** `end` is the index at which a comment ends; `code` has none. */
function splitComments(text) {
  const comments = [];
  const code = text.replace(TOKEN, (token, comment, index) => {
    if (comment === undefined) return token;
    comments.push({ text: comment, index, end: index + token.length });
    return ' ';
  });
  return { comments, code };
}

/** The first parentheses after an index, with all that they enclose. */
function parametersAfter(text, index) {
  const start = text.indexOf('(', index);
  let depth = 0;
  for (let end = start; start >= 0 && end < text.length; end++) {
    if (text[end] === '(') depth++;
    if (text[end] === ')' && --depth === 0) return text.slice(start, end);
  }
  return '';
}

/**
 * Names in comments that exist nowhere, as "file:line: name", also files. A name in a string counts as code, because
 * columns and settings are written there.
 * @param {Map<string, string>} texts code by path; comments are read in .ts, .tsx and .mjs
 * @param {string[]} paths all files that a comment may name
 */
export function unknownNames(texts, paths) {
  const files = [...texts].map(([file, text]) => ({ file, text, ...split(file, text) }));
  const words = new Set([...FOREIGN, ...files.flatMap(({ code }) => code.match(WORD) ?? [])]);
  return files.flatMap(({ file, text, comments }) =>
    comments.flatMap((comment) => {
      const names = [QUOTED_NAME, BARE_NAME].flatMap((pattern) => namesIn(comment.text, pattern));
      const unknown = names.filter(({ name }) => name.split('.').some((part) => !words.has(part)));
      const parameters = new Set(parametersAfter(text, comment.end).match(WORD) ?? []);
      const strangers = namesIn(comment.text, PARAM).filter(({ name }) => !parameters.has(name));
      const missing = namesIn(comment.text, FILE).filter(
        ({ name }) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)),
      );
      return [...unknown, ...strangers, ...missing].map(({ name, index }) => {
        const line = text.slice(0, comment.index + index).split('\n').length;
        return `${file}:${line}: ${name}`;
      });
    }),
  );
}

function split(file, text) {
  return /\.(tsx?|mjs)$/.test(file) ? splitComments(text) : { comments: [], code: text };
}

function namesIn(text, pattern) {
  return [...text.matchAll(pattern)].map(({ 1: name, index }) => ({ name, index }));
}
