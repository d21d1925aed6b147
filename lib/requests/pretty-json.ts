const INDENT = '  ';
/** A thousand nested levels would otherwise make gigabytes of blanks. */
const MAX_INDENT = 20;

/** Adds only line breaks and indentation. Invalid JSON is indented oddly, but stays complete. */
export function prettyJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  const newLine = () => `\n${INDENT.repeat(Math.min(MAX_INDENT, Math.max(0, depth)))}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s+$/.test(token)) continue;
    if (token.length > 1 && /^[{[]/.test(token)) out.push(token[0] === '{' ? '{}' : '[]');
    else if (token === '{' || token === '[') {
      depth += 1;
      out.push(token, newLine());
    } else if (token === '}' || token === ']') {
      depth -= 1;
      out.push(newLine(), token);
    } else if (token === ',') out.push(token, newLine());
    else out.push(token === ':' ? ': ' : token);
  }
  return out.join('');
}

/** A string (possibly unterminated), an empty object or list, punctuation, blanks, or anything else up to these. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|\s+|[^"{}[\],:\s]+|[\s\S]/g;
