import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from './all-rules';
import {
  all,
  evidence,
  finishedRows,
  keeper,
  known,
  NOW,
  network,
  row,
  rows,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import { USUAL_SETTINGS } from './diagnosis-settings';
import { incidentMarkdown, type PaperSource, requestMarkdown } from './hand-over';
import type { Incident } from './incident';
import { triage } from './triage';

const source: PaperSource = {
  networkName: () => 'Base',
  requestUrl: (one) => `https://scope.example/requests/${one.networkId}/${one.sequence}`,
  incidentUrl: (incident) => `https://scope.example/pending?incident=${encodeURIComponent(incident.id)}`,
  explorerUrl: () => undefined,
  curl: (query) => `curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?${query}"`,
  nowMs: NOW,
};
const list = rows(30, 100, (step) => ({ ageS: 500 - step, sender: senderOf(step % 5) }));
const networks = [
  network('8453', {
    counts: [known({ fromMs: NOW - 500_000, toMs: NOW, total: 31 }, 'network_id=8453&limit=1')],
  }),
];
const [incident] = triage([keeper(list, networks)], settingsOf, NOW).incidents as [Incident];

describe('an incident as Markdown', () => {
  const text = incidentMarkdown(incident, list, source);
  it('begins with its headline, linked, in absolute UTC time', () => {
    expect(text.split('\n')[0]).toBe(
      '## [Base: 30 pending, 5 senders, since 2026-11-20 11:51:40 UTC](<https://scope.example/pending?incident=main%2F8453%2Fnetwork>)',
    );
  });

  it('has figures, calls with the key as a variable, what pending means, what can’t be known and next steps', () => {
    expect(text).toContain('Share pending: 96 %');
    expect(text).toContain('Since: 2026-11-20 11:51:40 UTC');
    expect(text).toContain(
      'curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&limit=1"',
    );
    expect(text).toContain('Pending means that no outcome is recorded here; confirm on chain.');
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

  it('says of an estimate what has not been checked', () => {
    const own = rows(4, 1, { ageS: 500, sender: senderOf(1) });
    const [estimate] = triage([keeper(own)], settingsOf, NOW).incidents as [Incident];
    expect(incidentMarkdown(estimate, own, source)).toMatch(/\*\*R7 .*\*\* \(estimate\)/);
  });
});

describe('a request as Markdown', () => {
  it('has what holds, what could not be told, and what does not hold', () => {
    const request = list[0] ?? row(1);
    const given = evidence({
      sameNumber: all([request]),
      finished: finishedRows(rows(40, 900, { ageS: 300, tookS: 4 })),
    });
    const text = requestMarkdown(request, diagnose(request, given, USUAL_SETTINGS, NOW), source);
    expect(text).toContain('## [Base: request 100]');
    expect(text).toContain('**R8 Overtaken**');
    expect(text).toContain('99 % were done after 4 s');
    expect(text).toMatch(/### Could not be told\n\n[\s\S]*R9 /);
    expect(text).toMatch(/### Checked, and does not hold\n\n[\s\S]*R5 /);
  });

  it('offers no retry command and no meaning of pending for a finished one', () => {
    const request = row(1, { tookS: 3 });
    const text = requestMarkdown(request, diagnose(request, evidence(), USUAL_SETTINGS, NOW), source);
    expect(text).not.toContain('retry command');
    expect(text).not.toContain('Pending means');
  });
});

it('no text of strangers makes a line, a link, a tag or a heading of its own', () => {
  const hostile = fc.constantFrom(
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
    fc.property(hostile, hostile, hostile, (sender, hash, wireName) => {
      const request = row(1, {
        ageS: 500,
        sender,
        requestTxHash: hash,
        state: { kind: 'unknown', wireName },
      });
      const plain = row(1, { ageS: 500, state: { kind: 'unknown', wireName: 'x' } });
      const paper = (one: typeof request) =>
        requestMarkdown(one, diagnose(one, evidence(), USUAL_SETTINGS, NOW), {
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
