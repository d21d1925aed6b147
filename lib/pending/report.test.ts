import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { diagnose } from '@/lib/pending/rules/diagnose';
import { ruleInput } from '@/lib/pending/rules/rule';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { stretchesToCheck } from './groups';
import { type KeyedIncident, triageNetwork } from './incidents';
import { pendingNetwork } from './network';
import { incidentMarkdown, type ReportSource, requestMarkdown } from './report';
import {
  allRows,
  BASE,
  evidence,
  finishedRows,
  knownPiece,
  NO_GROUP_VERDICTS,
  NOW,
  network,
  row,
  rows,
  senderOf,
} from './rules/rules-fixture';

const network8453 = { networkId: BASE, name: 'Base', testnet: false, known: true };
const source: ReportSource = { network: network8453, origin: 'https://scope.example', nowMs: NOW };
const list = rows(30, 100, (step) => ({ ageS: 500 - step, sender: senderOf(step % 5) }));
const pendingBase = pendingNetwork(
  {
    keeper: 'main',
    networkId: BASE,
    settings: DEFAULT_PENDING_SETTINGS,
    evidence: network(),
    pending: allRows(list),
    nowMs: NOW,
    orphaned: new Set(),
  },
  list,
);
const checked = stretchesToCheck(pendingBase).map((stretch) => ({
  stretch,
  others: knownPiece([NOW - 1000], 'network_id=8453&limit=1'),
}));
const [incident] = triageNetwork(pendingBase, checked).incidents as [KeyedIncident];

describe('an incident as Markdown', () => {
  const text = incidentMarkdown(incident, list, source);
  it('begins with its headline, linked, in absolute UTC time', () => {
    expect(text.split('\n')[0]).toBe(
      '## [Base: 30 stuck, 5 senders, since 2026-11-20 11:51:40 UTC](<https://scope.example/pending?incident=main%2F8453%2Fnetwork>)',
    );
  });

  it('has figures, calls with the key as a variable, the meaning of pending, what can’t be known, and next steps', () => {
    expect(text).toContain('Share pending: 96%');
    expect(text).toContain('Since: 2026-11-20 11:51:40 UTC');
    expect(text).toContain(
      'curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&limit=1"',
    );
    expect(text).toContain('No outcome logged. Verify on-chain.');
    expect(text).toContain('the balance of the keeper’s wallet');
    expect(text).toContain('**Likely cause**: Whole network. Most requests since the oldest are pending.');
    expect(text).toContain(
      '**Next step**: Check that the network makes blocks, then the keeper’s process, RPC',
    );
    expect(text).toContain('No retry command while pending');
  });

  it('lists the oldest requests and says how many there are', () => {
    expect(text).toContain('### Requests (20 of 30, oldest first)');
    expect(text.match(/^- \[sequence/gm)).toHaveLength(20);
    expect(text).toMatch(
      /\[sequence 100\]\(<https:\/\/scope\.example\/requests\/8453\/100\?[^>]+>\), pending, created 2026-11-20 11:51:40 UTC/,
    );
  });
});

describe('a report with an answer of the chain', () => {
  const chain = { asked: 3, of: 30, ageMs: 4000, isOpen: true };
  const cause = {
    title: 'Callback reverts',
    headline: 'Still open; its callback would revert now: <b>Vault</b>',
    next: 'Send the contract’s owner this request',
  };

  it('names the cause and step from the chain, followed by the guess from the log', () => {
    const text = incidentMarkdown(incident, list, source, { ...chain, cause });
    expect(text).toContain(
      '**Likely cause, on-chain**: Callback reverts. Still open; its callback would revert now: \\<b\\>Vault\\<\\/b\\>.',
    );
    expect(text).toContain('**Next step**: Send the contract’s owner this request.');
    expect(text).toContain('Chain queried 4 s ago, about the oldest 3 of 30.');
    expect(text).toContain('**By the log alone**: Whole network. Most requests since');
    expect(text).not.toContain('**Likely cause**:');
    expect(text).not.toContain('Verify');
  });

  it('has the chain’s answer even if it names no cause, and does not ask to verify it', () => {
    const { topRule: _, ...diagnosis } = diagnose(
      ruleInput(list[0] ?? row(1), evidence(), DEFAULT_PENDING_SETTINGS, NOW),
      NO_GROUP_VERDICTS,
    );
    const single = { ...chain, of: 1, asked: 1, line: 'Still open; a reveal now would succeed' };
    const text = requestMarkdown(
      list[0] ?? row(1),
      { ...diagnosis, topRule: RULE.pastRetryBudget },
      source,
      single,
    );
    expect(text).toContain('**On-chain**: Still open; a reveal now would succeed.');
    expect(text).toContain('No outcome logged.');
    expect(text).not.toContain('Verify');
  });
});

it('a request as Markdown lists the rules that hold, are unknown, and do not hold', () => {
  const request = list[0] ?? row(1);
  const pieces = evidence({
    sameSequence: allRows([request]),
    finished: finishedRows(rows(40, 900, { ageS: 300, tookS: 4 })),
  });
  const text = requestMarkdown(
    request,
    diagnose(ruleInput(request, pieces, DEFAULT_PENDING_SETTINGS, NOW), NO_GROUP_VERDICTS),
    source,
  );
  expect(text).toContain('## [Base: request 100]');
  expect(text).toContain('**Later ones completed** (R8)');
  expect(text).toContain('finished requests on this network: 4.0 s');
  expect(text).toMatch(/### Unknown\n\n[\s\S]*\(R9\)/);
  expect(text).toMatch(/### Ruled out\n\n[\s\S]*\(R5\)/);
});

it('foreign text can’t create a line, link, tag or heading', () => {
  const attack = fc.constantFrom(
    '[x](https://evil.example)',
    '\n# heading',
    '<img src=x onerror=1>',
    '`](https://evil.example)`',
    '```\nrm -rf\n```',
    'https://evil.example',
    '**bold** | a | @all',
    '\u2028# heading\u202e\u0000',
    '~~x~~ ![a](http://a.b)',
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
      const paper = (row: typeof request) =>
        requestMarkdown(
          row,
          diagnose(ruleInput(row, evidence(), DEFAULT_PENDING_SETTINGS, NOW), NO_GROUP_VERDICTS),
          {
            ...source,
            network: { ...source.network, name: sender },
          },
        );
      const text = paper(request);
      expect(lines(text)).toBe(lines(paper(plain)));
      // Without code, links and escapes, no markup of the foreign text is left.
      const plainer = text.replace(/\(<https:\/\/scope\.example[^<>\s`]*>\)/g, '()');
      const bare = plainer.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '').replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/\(https|<img|https:\/\/evil|!\[|~~|\*\*b/);
      expect(text).not.toMatch(/[\p{Zl}\p{Cf}]/u);
    }),
  );
});

it.each([
  ['javascript:alert(1)', /^## Base: request 1\n/],
  ['', /^## Base: request 1\n/],
  ['https://a.example', /^## \[Base: request 1\]\(<https:\/\/a\.example\/requests\/8453\/1\?[^<>]*>\)\n/],
  [
    'https://a.example/x>y`',
    /^## \[Base: request 1\]\(<https:\/\/a\.example\/x%3Ey%60\/requests[^<>`]*>\)\n/,
  ],
])('of the origin %j an address is a link only where it leads to a page', (origin, heading) => {
  const diagnosed = diagnose(ruleInput(row(1), evidence(), DEFAULT_PENDING_SETTINGS, NOW), NO_GROUP_VERDICTS);
  expect(requestMarkdown(row(1), diagnosed, { ...source, origin })).toMatch(heading);
});
