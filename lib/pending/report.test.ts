import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stretchesToCheck } from './groups';
import { type FoundIncident, triageNetwork } from './incidents';
import { pendingNetwork } from './network';
import {
  codeBlock,
  codeMarkdown,
  incidentMarkdown,
  linkMarkdown,
  plainMarkdown,
  type ReportSource,
  requestMarkdown,
} from './report';
import { diagnose } from './rules/rules';
import {
  all,
  BASE,
  evidence,
  finishedRows,
  known,
  NOW,
  network,
  OF_NONE,
  row,
  rows,
  senderOf,
} from './rules/rules-fixture';
import { USUAL_SETTINGS } from './rules/thresholds';

const source: ReportSource = {
  networkName: () => 'Base',
  requestUrl: (one) => `https://scope.example/requests/${one.networkId}/${one.sequence}`,
  incidentUrl: (id) => `https://scope.example/pending?incident=${encodeURIComponent(id)}`,
  explorerUrl: () => undefined,
  curl: (query) => `curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?${query}"`,
  nowMs: NOW,
};
const list = rows(30, 100, (step) => ({ ageS: 500 - step, sender: senderOf(step % 5) }));
const found = pendingNetwork(
  {
    keeper: 'main',
    networkId: BASE,
    settings: USUAL_SETTINGS,
    evidence: network(),
    pending: all(list),
    nowMs: NOW,
    orphaned: new Set(),
  },
  list,
);
const checked = stretchesToCheck(found).map((stretch) => ({
  stretch,
  others: known([NOW - 1000], 'network_id=8453&limit=1'),
}));
const [incident] = triageNetwork(found, checked).incidents as [FoundIncident];

describe('an incident as Markdown', () => {
  const text = incidentMarkdown(incident, list, source);
  it('begins with its headline, linked, in absolute UTC time', () => {
    expect(text.split('\n')[0]).toBe(
      '## [Base: 30 pending, 5 senders, since 2026-11-20 11:51:40 UTC](<https://scope.example/pending?incident=main%2F8453%2Fnetwork>)',
    );
  });

  it('has figures, calls with the key as a variable, what pending means, what can’t be known and next steps', () => {
    expect(text).toContain('Share pending: 96%');
    expect(text).toContain('Since: 2026-11-20 11:51:40 UTC');
    expect(text).toContain(
      'curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&limit=1"',
    );
    expect(text).toContain('No outcome logged. Verify on-chain.');
    expect(text).toContain('the balance of the keeper’s wallet');
    expect(text).toContain('- Check the RPC endpoints');
    expect(text).toContain('no retry command for a pending request');
  });

  it('lists the oldest requests and says how many there are', () => {
    expect(text).toContain('### Requests (20 of 30, oldest first)');
    expect(text.match(/^- \[sequence/gm)).toHaveLength(20);
    expect(text).toContain(
      '[sequence 100](<https://scope.example/requests/8453/100>), pending, created 2026-11-20 11:51:40 UTC',
    );
  });
});

describe('a request as Markdown', () => {
  it('has what holds, what could not be told, and what does not hold', () => {
    const request = list[0] ?? row(1);
    const given = evidence({
      sameSequence: all([request]),
      finished: finishedRows(rows(40, 900, { ageS: 300, tookS: 4 })),
    });
    const text = requestMarkdown(request, diagnose(request, given, USUAL_SETTINGS, NOW, OF_NONE), source);
    expect(text).toContain('## [Base: request 100]');
    expect(text).toContain('**R8 Overtaken**');
    expect(text).toContain('99% were done after 4 s');
    expect(text).toMatch(/### Unknown\n\n[\s\S]*R9 /);
    expect(text).toMatch(/### Ruled out\n\n[\s\S]*R5 /);
  });
});

it('no text of strangers makes a line, a link, a tag or a heading of its own', () => {
  const attack = fc.constantFrom(
    '[x](https://evil.example)',
    '\n# heading',
    '<img src=x onerror=1>',
    '`](https://evil.example)`',
    '```\nrm -rf\n```',
    'https://evil.example',
    '**bold** | a | @all',
  );
  const lines = (text: string) => text.split('\n').length;
  fc.assert(
    fc.property(attack, attack, attack, (sender, hash, wireName) => {
      const request = row(1, {
        ageS: 500,
        sender,
        requestTxHash: hash,
        state: { kind: 'unknown', wireName },
      });
      const plain = row(1, { ageS: 500, state: { kind: 'unknown', wireName: 'x' } });
      const paper = (one: typeof request) =>
        requestMarkdown(one, diagnose(one, evidence(), USUAL_SETTINGS, NOW, OF_NONE), {
          ...source,
          networkName: () => sender,
        });
      const text = paper(request);
      expect(lines(text)).toBe(lines(paper(plain)));
      // Without code and escaped marks nothing of theirs is left that means anything.
      const bare = text.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '').replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/\(https|<img|https:\/\/evil/);
    }),
  );
});

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['`', '``', '```', '](', '[', ')', '<', '>', '*', '_', '|', '\\', '#', '- ', '\n', '\r'],
      ),
      fc.constantFrom(
        ...['\u2028', '&lt;', '<script>', 'http://a.b', '@all', '\u202e', '\u0000', '~~', '!['],
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

  it.each([
    ['javascript:alert(1)', 'label'],
    ['/requests/1', 'label'],
    ['https://a.example/x?q=(1)', '[label](<https://a.example/x?q=(1)>)'],
  ])('the address %s becomes %s', (address, markdown) => {
    expect(linkMarkdown('label', address)).toBe(markdown);
  });
});
