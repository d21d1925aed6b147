import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logsCallAsCurl, recogniseQuery } from './log-query';

const hexDigits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length });

const HEX = [
  ['transaction', 64],
  ['address', 40],
] as const;
const HASH = 'Ab'.repeat(32);
const ADDRESS = 'cD'.repeat(20);

const NOTHING: [string, RegExp][] = [
  [`https://x.example/tx/0x${HASH}/tx/0x${'12'.repeat(32)}`, /several/],
  [`https://x.example/0x${HASH}/0x${ADDRESS}`, /several/],
  ['https://x.example/block/123', /no transaction/],
  [`https://x.example/?tx=0x${HASH}&from=0x${ADDRESS}`, /several/],
  ['0x1234…abcd', /Shortened/],
  ['18446744073709551616', /large/],
  ['0x10000000000000000', /large/],
  [`0x${'a'.repeat(63)}`, /63 hex digits/],
  [`0x${'a'.repeat(41)}`, /41 hex digits/],
  ['9'.repeat(100_000), /Too long/],
  [`0x${HASH} 0x${ADDRESS}`, /several/],
  [`0x${HASH.slice(0, 20)}...`, /Shortened/],
  ['sequence=17 sequence=18', /not a hash/i],
  ['call 17 failed', /not a hash/i],
  ...[
    'abc',
    '-1',
    '1.5',
    '1.234',
    '1e5',
    '12 34',
    '1,23',
    '1,234_567',
    '1234,567',
    '123\n456',
    'g'.repeat(64),
    '<b>1</b>',
    'javascript:alert(1)',
    '"',
  ].map((text): [string, RegExp] => [text, /not a hash/i]),
];

describe('recogniseQuery', () => {
  it('recognises a hash and an address however they were pasted', () => {
    for (const [kind, length] of HEX) {
      fc.assert(
        fc.property(
          hexDigits(length),
          fc.constantFrom('', '0x', '0X'),
          fc.constantFrom(
            ['', ''],
            [' ', '\n'],
            ['\n\t', ' '],
            ['"', '",'],
            ['“', '”'],
            ['\u200b', '\u00a0'],
          ),
          fc.array(fc.tuple(fc.nat(length), fc.constantFrom(' ', '\n', '\r\n', '\u200b')), { maxLength: 3 }),
          (hex, prefix, [before, after], breaks) => {
            let broken = prefix + hex;
            for (const [at, blank] of breaks) broken = broken.slice(0, at) + blank + broken.slice(at);
            expect(recogniseQuery(before + broken + after)).toEqual({
              kind,
              canonical: `0x${hex.toLowerCase()}`,
            });
          },
        ),
      );
    }
  });

  it('reads 40 and 64 decimal digits as an address and a hash, since no sequence is that long', () => {
    expect(recogniseQuery('1'.repeat(40)).kind).toBe('address');
    expect(recogniseQuery('1'.repeat(64)).kind).toBe('transaction');
  });

  it('recognises every 64-bit sequence number, digit for digit', () => {
    const grouped = (digits: string, separator: string) => digits.replace(/\B(?=(\d{3})+$)/g, separator);
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 99_999n })),
        fc.constantFrom(',', '_', ' ', '\u00a0', '\u202f', "'"),
        (sequence, separator) => {
          const expected = { kind: 'sequence', canonical: sequence.toString() };
          const groups = grouped(sequence.toString(), separator);
          for (const text of [
            ` ${sequence} `,
            `0x${sequence.toString(16)}`,
            groups,
            `#${groups}`,
            `"${groups}"`,
          ]) {
            expect(recogniseQuery(text)).toEqual(expected);
          }
        },
      ),
    );
  });

  it.each([
    ['007', '7'],
    ['0', '0'],
    ['# 12', '12'],
    ['sequence 17 on base', '17'],
    ['stuck: seq #17 (base)', '17'],
    ['/requests/8453/17', '17'],
    ['requests/8453/17?tx=0x12', '17'],
    ['18446744073709551615', '18446744073709551615'],
  ])('writes the sequence %s as %s', (text, canonical) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'sequence', canonical });
  });

  it.each([
    [`https://basescan.org/tx/0x${HASH}`, HASH],
    [`https://arbiscan.io/tx/0x${HASH}#eventlog`, HASH],
    [`https://explorer.example/address/0x${ADDRESS}?tab=txs`, ADDRESS],
    [`https://explorer.example/address/${ADDRESS}/transactions#code`, ADDRESS],
    [`https://explorer.example/#/tx/0x${HASH}`, HASH],
    [`https://explorer.example/block/${'11'.repeat(32)}/tx/0x${HASH}`, HASH],
    [`https://explorer.example/de/token/0x${ADDRESS}`, ADDRESS],
    [`  <https://x.example/tx/0x${HASH}`.replace('<', '"'), HASH],
    [`basescan.org/tx/0x${HASH}`, HASH],
    [`HTTP://LOCALHOST:4000/tx/0X${HASH.slice(0, 30)}\n${HASH.slice(30)}`, HASH],
  ])('finds the transaction or address in %.60j', (text, hex) => {
    expect(recogniseQuery(text)).toEqual({
      kind: hex.length === 64 ? 'transaction' : 'address',
      canonical: `0x${hex.toLowerCase()}`,
    });
  });

  it.each([
    `<0x${HASH}>`,
    `0x${HASH}.`,
    `tx: 0x${HASH}`,
    `Tx hash: 0x${HASH},`,
    `transaction hash = \`0x${HASH}\``,
    `tx：０ｘ${HASH}。`,
    `(0x${HASH})`,
    `[0x${HASH}]`,
    `\`0x${HASH}\`!`,
    `**0x${HASH}**`,
    `> 0x${HASH}`,
    `• 0x${HASH}`,
    `\ufeff0x\u2060${HASH}\u200d\ufe0f`,
    `'0x${HASH}',`,
    `"request_tx_hash": "0x${HASH}",`,
    `\\"0x${HASH}\\"`,
    `\\x${HASH}`,
    `tx=0x${HASH.slice(0, 30)}\n  ${HASH.slice(30)}`,
    `level=warn tx_hash=0x${HASH} sender=0x${ADDRESS} sequence=17`,
    `{"sender":"0x${ADDRESS}","request_tx_hash":"0x${HASH}","user_random_number":"0x${'12'.repeat(32)}"}`,
    `My request 0x${HASH} is stuck since noon.`,
    `[0xabab…abab](https://basescan.org/tx/0x${HASH})`,
    `[0x${HASH}](https://basescan.org/tx/0x${HASH}).`,
    `<https://basescan.org/tx/0x${HASH}|0xabab…abab>`,
    `see https://basescan.org/tx/0x${HASH}#eventlog, please`,
    `https://x.example/search?q=0x${HASH}`,
    `tx/0x${HASH}`,
    `eip155:8453:0x${HASH}`,
  ])('recognises the transaction in %.90j', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'transaction', canonical: `0x${'ab'.repeat(32)}` });
  });

  it.each([
    `<0x${ADDRESS}>`,
    `sender: 0x${ADDRESS}.`,
    `From 0x${ADDRESS} (contract)`,
    `[contract](https://basescan.org/address/0x${ADDRESS}#code)`,
    `mailto:<0x${ADDRESS}>`,
  ])('recognises the address in %.90j', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'address', canonical: `0x${'cd'.repeat(20)}` });
  });

  it.each([
    '#1234',
    '(#1234)',
    'seq 1,234',
    'Seq. 1234',
    'seq#1234.',
    'sequence: 1 234',
    'sequence number 1234',
    'sequenceNumber: 1234n,',
    '"sequence": 1234,',
    '"sequence":"1234"',
    'sequence=1234',
    'request #1,234',
    'request no. 1234',
    '`1234`',
    '<1234>',
    '＃１２３４',
    '\u200b1234.',
    '{"network_id":"8453","sequence":1234,"state":{"state":"pending"}}',
    'https://dash.example/requests/8453/1234?keeper=main',
    'level=warn network=8453 sequence=1234 msg="not revealed"',
  ])('recognises the sequence in %.90j', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'sequence', canonical: '1234' });
  });

  it('finds the id in a link of any explorer', () => {
    const word = fc.constantFrom('', 'en/', 'chain/8453/', 'x-y/');
    fc.assert(
      fc.property(
        fc.webAuthority(),
        word,
        fc.constantFrom(...HEX).chain(([kind, length]) => fc.tuple(fc.constant(kind), hexDigits(length))),
        fc.constantFrom('', '/', '#logs', '?a=1', '/internal#top'),
        (authority, folder, [kind, hex], end) => {
          const page = kind === 'transaction' ? 'tx' : 'address';
          const url = `https://${authority}/${folder}${page}/0x${hex}${end}`;
          fc.pre(URL.canParse(url));
          expect(recogniseQuery(url)).toEqual({ kind, canonical: `0x${hex.toLowerCase()}` });
        },
      ),
    );
  });

  it.each(NOTHING)('finds nothing in %.30j and says why', (text, reason) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'none', reason: expect.stringMatching(reason) });
  });

  it.each(['tx ', 'seq ', '#', ' \t', "'", ': ', 'https://a', '0x', '1 ', '[', '.', 'request_'])(
    'reads a long text that begins with %j quickly',
    (piece) => {
      const text = `a${piece.repeat(4000 / piece.length)}!`;
      const startedAt = performance.now();
      for (let index = 0; index < 10; index += 1) recogniseQuery(text);
      expect(performance.now() - startedAt).toBeLessThan(500);
    },
  );

  it.each(['', '   ', '\n', '\u200b'])('calls %j empty', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'empty' });
  });

  it('recognises its own output as the same, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const first = recogniseQuery(text);
        if ('canonical' in first) expect(recogniseQuery(first.canonical)).toEqual(first);
      }),
    );
  });
});

describe('the call as curl', () => {
  it('has placeholders for address and key', () => {
    expect(logsCallAsCurl(new URLSearchParams({ network_id: '8453', query: '17' }))).toBe(
      'curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&query=17"',
    );
    expect(logsCallAsCurl(new URLSearchParams())).toMatch(/"\$LOGS_URL\/v1\/logs"$/);
  });

  it('contains nothing that a shell would interpret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        const command = logsCallAsCurl(new URLSearchParams([[name, value]]));
        expect(command).toMatch(/"\$LOGS_URL\/v1\/logs\?[\w.*+%=&-]*"$/);
      }),
    );
  });

  it('survives a shell unchanged', () => {
    const query = new URLSearchParams({ query: '"; $(id) `id` \\ !! \'\n' });
    const script = logsCallAsCurl(query).replace(/^curl/, 'printf "%s\\n"');
    const env = { ...process.env, LOGS_URL: 'https://logs.example', LOGS_API_KEY: 'k' };
    const printed = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
    expect(printed).toBe(`-H\nAuthorization: Bearer k\nhttps://logs.example/v1/logs?${query}\n`);
  });
});
