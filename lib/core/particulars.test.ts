import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutParticulars } from './particulars';

const hexDigits = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const bytes = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
const shortened = (hash: string, ends: number, mark: string) =>
  `${hash.slice(0, ends)}${mark}${hash.slice(-ends)}`;
const hash = hexDigits(64);
const digits = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const moment = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });

const FORMS: Record<string, fc.Arbitrary<string>> = {
  'a hash': hash.map((hex) => `0x${hex}`),
  'a hash in capitals': hash.map((hex) => `0x${hex.toUpperCase()}`),
  'a hash without 0x': hash,
  'a hash shortened as Rust does': hash.map((hex) => `0x${shortened(hex, 4, '…')}`),
  'a hash shortened with dots': hash.map((hex) => `0x${shortened(hex, 6, '...')}`),
  'a hash shortened without 0x': hash.map((hex) => shortened(hex, 4, '…')),
  'the beginning of a hash': hash.map((hex) => `0x${hex.slice(0, 8)}…`),
  'an address': hexDigits(40).map((hex) => `0x${hex}`),
  'bytes as decimals': bytes(0, 40).map((some) => `[${[...some].join(', ')}]`),
  'bytes on lines of their own': bytes(1, 40).map(
    (some) => `[\n${[...some].map((value) => `    ${value},\n`).join('')}]`,
  ),
  'bytes as decimals, shortened': bytes(3, 9).map((some) => `[${[...some].join(', ')}, …]`),
  'bytes as hex': bytes(1, 40).map(
    (some) => `[${[...some].map((value) => `0x${value.toString(16)}`).join(', ')}]`,
  ),
  'padded base64': bytes(64, 64).map((some) => Buffer.from(some).toString('base64')),
  'base64 without padding': fc
    .nat()
    .map((value) => createHash('sha512').update(`${value}`).digest('base64url')),
  'a UUID': fc.uuid(),
  'a number': digits.map(String),
  'a number with commas': digits.map((value) => value.toLocaleString('en')),
  'a negative number': fc.integer({ min: -99_999, max: -1 }).map(String),
  'a decimal': fc.tuple(fc.nat(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
  'a power of ten': fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(30)).map(([a, b]) => `${a}.5e${b}`),
  'a duration of Rust': fc
    .tuple(fc.nat(999), fc.nat(999), fc.constantFrom('ns', 'µs', 'ms', 's'))
    .map(([whole, part, unit]) => `${whole}.${part}${unit}`),
  'a duration of Go': fc.tuple(fc.integer({ min: 1, max: 59 }), fc.nat(59)).map(([m, s]) => `${m}m${s}s`),
  'a duration in words': fc
    .tuple(fc.integer({ min: 1, max: 59 }), fc.nat(59))
    .map(([m, s]) => (s === 0 ? `${m}m` : `${m}m ${s}s`)),
  'an ordinal': fc.constantFrom('1st', '2nd', '3rd', '21st', '100th'),
  'a count of seconds': fc.nat(600).map((count) => `${count} second${count === 1 ? '' : 's'}`),
  'a count of blocks': fc.nat(3).map((count) => `${count} block${count === 1 ? '' : 's'}`),
  'a moment': moment.map((date) => date.toISOString()),
  'a moment of a log': moment.map((date) => date.toISOString().replace('T', ' ').slice(0, 19)),
  'a moment of HTTP': moment.map((date) => date.toUTCString()),
  'a URL': fc
    .webUrl({ withQueryParameters: true, withFragments: true })
    .filter((url) => /[a-z0-9/]$/i.test(url)),
  'a host with its port': fc
    .tuple(fc.domain(), fc.integer({ min: 1, max: 65_535 }))
    // Read as a line of a source file.
    .filter(([domain]) => !/\.(rs|sol|vy|ts|tsx|js|mjs|go|py|c|h|cpp|java)$/.test(domain))
    .map(([domain, port]) => `${domain}:${port}`),
  'an address of the Internet': fc.ipV4(),
  'an address of the Internet, version 6': hexDigits(4).map((hex) => `[2001:db8::${hex}]:8545`),
  'several hashes': fc
    .array(hash, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((digits) => `0x${digits}`).join(', ')),
};

/** Contexts: plain, quoted, in brackets, named, at the end of a sentence. */
const PLACES = [
  'failed: $ was dropped',
  'failed ($)',
  'failed: "$"',
  "got '$'",
  'nonce=$',
  'it was $.',
  'Bytes($) of it',
  '$',
];

describe('texts that differ only in variable parts become one', () => {
  it.each(Object.entries(FORMS))('%s', (_, form) => {
    fc.assert(
      fc.property(form, form, fc.constantFrom(...PLACES), (a, b, place) => {
        const text = (value: string) => withoutParticulars(place.replace('$', () => value));
        expect(text(a)).toBe(text(b));
      }),
      { numRuns: 300 },
    );
  });
});

it('treats a long random token with only two numbers as base64', () => {
  // Found among SHA-512 digests: 110 of a million have fewer than three runs of digits.
  const token = createHash('sha512').update('998529').digest('base64url');
  expect(token.match(/\d+/g)?.length).toBeLessThan(3);
  expect(withoutParticulars(`id ${token} failed`)).toBe('id … failed');
});

it('normalises the texts of a real keeper', () => {
  const group = (text: string) => withoutParticulars(text);
  expect(group('Transaction was submitted, but never confirmed. Hash: 0x6902…3586')).toBe(
    'Transaction was submitted, but never confirmed. Hash: 0x…',
  );
  expect(group('Gas limit exceeded: limit = 550000, estimate = 1203991')).toBe(
    'Gas limit exceeded: limit = #, estimate = #',
  );
  expect(group('revert [8, 195, 121, 160, 0, 0]')).toBe('revert […]');
});

const words = fc
  .array(fc.stringMatching(/^[a-z]{2,9}$/), { minLength: 1, maxLength: 8 })
  .map((all) => all.join(' '));

it('texts with different words stay different', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      fc.pre(a !== b);
      expect(withoutParticulars(a)).not.toBe(withoutParticulars(b));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['ERC20: transfer failed', 'ERC721: transfer failed'],
  ['use msg.sender', 'use tx.origin'],
  ['PythRandomErrorsErrorsAreDecoded', 'PythRandomErrorsErrorsAreEncoded'],
  ['ERC20ToERC721BridgeAdapterFailed', 'ERC20ToERC721BridgeAdapterPaused'],
  ['std::io::Error', 'std::fmt::Error'],
  ['src/keeper/block.rs:12', 'src/keeper/fee.rs:12'],
  ['custom error 0xdeadbeef', 'custom error 0xfeedbeef'],
  ['uint256 overflow', 'uint128 overflow'],
  ['face to face', 'dead to dead'],
  ['added...and gone', 'faded...and gone'],
  ['[a, b]', '[c, d]'],
])('%j and %j stay different', (a, b) => {
  expect(withoutParticulars(a)).not.toBe(withoutParticulars(b));
});

it('is fast on long and hostile texts', () => {
  const hostile = [
    'a'.repeat(50_000),
    '[1, '.repeat(20_000),
    '0x'.repeat(20_000),
    'a.'.repeat(20_000),
    '1:'.repeat(20_000),
    'aB1'.repeat(20_000),
  ];
  const began = performance.now();
  for (const text of hostile) expect(withoutParticulars(text).length).toBeLessThanOrEqual(120);
  expect(performance.now() - began).toBeLessThan(2000);
});
