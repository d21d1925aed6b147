const INDENT = '  ';
/** Deeper levels are not moved further in: a thousand of them would make gigabytes of blanks. */
const DEEPEST_INDENT = 20;

/** JSON with line breaks and indents, and otherwise character by character as it was; what is no JSON comes out odd, but whole. */
export function prettyJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  const newLine = () => `\n${INDENT.repeat(Math.min(DEEPEST_INDENT, Math.max(0, depth)))}`;
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

/** A string (perhaps never ended), an empty object or list, a mark, blanks, or anything else up to one of those. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|\s+|[^"{}[\],:\s]+|[\s\S]/g;
