import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeBlock, codeMarkdown, linkMarkdown, plainMarkdown, sentenceMarkdown } from './markdown-text';

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '`',
        '``',
        '```',
        '](',
        '[',
        ')',
        '<',
        '>',
        '*',
        '_',
        '|',
        '\\',
        '#',
        '- ',
        '\n',
        '\r',
        '\u2028',
        '&lt;',
        '<script>',
        'http://a.b',
        '@all',
        '\u202e',
        '\u0000',
        '~~',
        '![',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
  )
  .map((parts) => parts.join(''));

const SEEN_AS_LINE_END = /[\n\r\u2028\u2029\u0085]/;

describe('texts of strangers', () => {
  it('as plain text: one line, every punctuation mark escaped, nothing that turns the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markdown = plainMarkdown(text);
        expect(markdown).not.toMatch(SEEN_AS_LINE_END);
        expect(markdown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        // Take every escaped mark away: no other punctuation is left.
        expect(markdown.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
      }),
    );
  });

  it('as a sentence: commas and stops stay, everything that could mean something is escaped', () => {
    expect(sentenceMarkdown('The whole network: most are pending; check RPC, funds (all) and keeper.')).toBe(
      'The whole network: most are pending; check RPC, funds (all) and keeper.',
    );
    expect(sentenceMarkdown('[x](https://a.example) *b* www.c.d')).toBe(
      '\\[x\\](https\\:\\/\\/a\\.example) \\*b\\* www\\.c\\.d',
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const left = sentenceMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, '');
        expect(left).not.toMatch(/[[\]<>*_`|\\#~!&@/]|[.:]\S/);
        expect(left).not.toMatch(SEEN_AS_LINE_END);
      }),
    );
  });

  it('as code: one span from the first backtick to the last', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markdown = codeMarkdown(text);
        if (markdown === '—') return;
        const fence = /^`+/.exec(markdown)?.[0] ?? '';
        expect(markdown.endsWith(fence)).toBe(true);
        const inside = markdown.slice(fence.length, -fence.length);
        expect(inside).not.toMatch(SEEN_AS_LINE_END);
        expect((inside.match(/`+/g) ?? []).some((run) => run.length === fence.length)).toBe(false);
        expect(inside.startsWith('`') || inside.endsWith('`')).toBe(false);
      }),
    );
  });

  it('as a block of code: nothing in it closes the fence', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (lines) => {
        const block = codeBlock('sh', lines).split('\n');
        expect(block).toHaveLength(Math.max(1, lines.length) + 2);
        const fence = block.at(-1) ?? '';
        expect(block.slice(1, -1).some((line) => line.includes(fence))).toBe(false);
      }),
    );
  });

  it('in an address: a link to http or https that ends where it should, or none', () => {
    const address = fc.oneof(
      hostile,
      hostile.map((text) => `https://a.example/${text}`),
      hostile.map((text) => `javascript:${text}`),
    );
    fc.assert(
      fc.property(address, (text) => {
        expect(linkMarkdown('label', text)).toMatch(/^label$|^\[label\]\(<https?:\/\/[^<>\s\\`|]*>\)$/);
      }),
    );
  });

  it('long ones are cut', () => {
    expect([...plainMarkdown('x'.repeat(500))]).toHaveLength(201);
  });

  it.each([
    ['javascript:alert(1)', 'label'],
    ['/requests/1', 'label'],
    ['https://a.example/x?q=(1)', '[label](<https://a.example/x?q=(1)>)'],
  ])('the address %s becomes %s', (address, markdown) => {
    expect(linkMarkdown('label', address)).toBe(markdown);
  });
});
