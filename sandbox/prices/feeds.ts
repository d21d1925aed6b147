import realFeeds from '@/data/feeds.json';
import market from './market.json';
import { type Cadence, EVERY_SLOT, FIRST_MISSING, MARKET_HOURS, silentSince, slowCadence } from './slots';

/** Rough figures of late 2026, so that screens look realistic. */
const LEVELS: Readonly<Record<string, number>> = market.levels;
const NAMES: Readonly<Record<string, string>> = market.names;

/** Pattern, base coin, fraction of its price, maximum premium, daily volatility. */
const DERIVED: [RegExp, string, number, number, number][] = [
  [/^(CBBTC|EBTC|LBTC|MBTC|SOLVBTC|UBTC|WBTC|ZBTC)$/, 'BTC', 0.998, 0.004, 0.02],
  [/^(CBETH|CMETH|EZETH|RSETH|STONE|UETH|WEETH|WETH|WSTETH)$/, 'ETH', 1, 0.2, 0.025],
  [/^(BSOL|INF|MSOL|USOL)$/, 'SOL', 1, 0.3, 0.03],
  [/USD|^(BOLD|BUCK|CASH|DAI|HONEY|MOD|THBILL)$/, '', 1, 0, 0.0004],
];

/** A number in [0, 1) from the first digits of the id, so independent of the seed. */
function idFraction(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) / 0x1_0000_0000;
}

function cryptoLevel(base: string, quote: string, id: string): { price: number; volatility: number } {
  const fraction = idFraction(id);
  if (/\.RR$/.test(quote) || quote !== 'USD') return { price: 1 + fraction * 0.25, volatility: 0.0004 };
  const level = LEVELS[base];
  if (level !== undefined) return { price: level, volatility: 0.02 + fraction * 0.02 };
  for (const [names, source, minFactor, spread, volatility] of DERIVED) {
    if (names.test(base))
      return { price: (LEVELS[source] ?? 1) * (minFactor + fraction * spread), volatility };
  }
  return { price: 0.01 * 10 ** (fraction * 3), volatility: 0.03 + fraction * 0.02 };
}

/** Price in units of the quote currency; daily volatility as a fraction. */
function readMarket(assetType: string, base: string, quote: string, id: string) {
  const price = LEVELS[`${base}/${quote}`] ?? LEVELS[base] ?? 1;
  if (assetType === 'fx') return { expo: quote === 'JPY' ? -3 : -5, price, volatility: 0.004 };
  if (assetType === 'metal') return { expo: base === 'XAU' ? -3 : -5, price, volatility: 0.009 };
  if (assetType === 'equity') return { expo: -5, price, volatility: 0.012 };
  const crypto = cryptoLevel(base, quote, id);
  return { expo: crypto.price < 0.001 ? -10 : -8, ...crypto };
}

export type SandboxFeed = {
  /** 64 lower-case hex digits. */
  id: string;
  symbol: string;
  assetType: string;
  base: string;
  quote: string;
  description: string;
  expo: number;
  /** Mean price, scaled by `expo`. May be negative or zero. */
  level: bigint;
  /** Scaled by `expo`. */
  confBase: bigint;
  confPpm: number;
  volatility: number;
  cadence: Cadence;
};

function splitPair(symbol: string): { base: string; quote: string } {
  const pair = symbol.replace(/^[A-Za-z]+\.(US\.)?/, '');
  const [base = pair, quote = 'USD'] = pair.split('/');
  return { base, quote };
}

/** An equity is updated while its exchange is open, any other feed in every slot. */
function realFeed({ id, symbol, asset_type: assetType }: (typeof realFeeds)[number]): SandboxFeed {
  const { base, quote } = splitPair(symbol);
  const { expo, price, volatility } = readMarket(assetType, base, quote, id);
  const level = BigInt(Math.round(price * 10 ** -expo));
  return {
    id,
    symbol,
    assetType,
    base,
    quote,
    expo,
    level,
    volatility,
    description: `${NAMES[base] ?? base} / ${NAMES[quote] ?? quote}`,
    confBase: level,
    confPpm: 180 + idFraction(id) * 500,
    cadence: assetType === 'equity' ? MARKET_HOURS : EVERY_SLOT,
  };
}

/** Begins with the bytes of the word "sandbox". */
export function inventedId(number: number): string {
  return `73616e64626f78${number.toString(16).padStart(50, '0')}`;
}

function invented(number: number, base: string, says: string, more: Partial<SandboxFeed> = {}): SandboxFeed {
  const level = more.level ?? 10_000_000_000n;
  return {
    id: inventedId(number),
    symbol: `Sandbox.${base}/USD`,
    assetType: 'crypto',
    base,
    quote: 'USD',
    description: `SANDBOX INVENTION: ${says}`,
    expo: -8,
    level,
    confBase: level < 0n ? -level : level,
    confPpm: 400,
    volatility: 0.02,
    cadence: EVERY_SLOT,
    ...more,
  };
}

/** Each with one oddity that a real feed may have. 50 slots are 20 s. */
const INVENTIONS: [string, string, Partial<SandboxFeed>][] = [
  ['EXPO-PLUS-5', 'EXPONENT +5', { expo: 5, level: 123_456n }],
  ['EXPO-MINUS-18', 'EXPONENT -18', { expo: -18, level: 1_234_567_890_123_456_789n }],
  ['NEGATIVE', 'NEGATIVE PRICE', { level: -3_763_000_000n }],
  ['ZERO', 'PRICE OF EXACTLY ZERO', { level: 0n, confBase: 5_000_000_000n }],
  ['WIDE', 'CONFIDENCE ABOVE THE PRICE', { confPpm: 1_600_000 }],
  ['SILENT', 'NO UPDATE SINCE 2026-01-01', { cadence: silentSince(Date.UTC(2026, 0, 1)) }],
  ['SLOW', 'AN UPDATE EVERY 20 S', { cadence: slowCadence(50) }],
  ['MARKET', 'OPEN MONDAY TO FRIDAY, 14:30 TO 21:00 UTC', { level: 25_000_000_000n, cadence: MARKET_HOURS }],
  ['NOT-UNIQUE', 'THE FIRST UPDATE OF A SECOND IS NEVER HELD', { cadence: FIRST_MISSING }],
];

/** First the real feeds, then the invented ones. */
export const sandboxFeeds: readonly SandboxFeed[] = [
  ...realFeeds.map(realFeed),
  ...INVENTIONS.map((it, i) => invented(i + 1, ...it)),
];

const byId = new Map(sandboxFeeds.map((feed) => [feed.id, feed]));

/** `id` is 64 lower-case hex digits. */
export function feedById(id: string): SandboxFeed | undefined {
  return byId.get(id);
}

/** A feed that the update service does not know. */
export const routerOnlyFeed = invented(
  0xff,
  'ROUTER-ONLY',
  'A PERPETUAL WITH A FUNDING RATE, KNOWN TO THE ROUTER ALONE',
  { level: 4_210_000_000n },
);
