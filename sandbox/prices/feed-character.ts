import type { Cadence } from './cadence';

/** How the price of a feed behaves. `typicalPrice` is in units of the quote currency. */
export type Character = {
  expo: number;
  typicalPrice: number;
  /** Swing of a day as a fraction. */
  volatility: number;
  /** Typical confidence as parts per million of the price. */
  confPpm: number;
  cadence: Cadence;
};

/** Rough price levels of late 2026's simulated market, so that the screens look like a market. */
const LEVELS: Readonly<Record<string, number>> = {
  BTC: 91_250,
  ETH: 3_120,
  SOL: 141.5,
  BNB: 905,
  XRP: 2.14,
  DOGE: 0.158,
  ADA: 0.47,
  AVAX: 14.2,
  LINK: 13.4,
  TRX: 0.281,
  UNI: 7.3,
  AAVE: 178,
  APT: 2.9,
  ARB: 0.236,
  OP: 0.38,
  SUI: 1.62,
  SEI: 0.151,
  TIA: 0.69,
  PYTH: 0.091,
  JUP: 0.254,
  JLP: 4.61,
  W: 0.058,
  WIF: 0.402,
  BONK: 0.0000104,
  PENGU: 0.0119,
  FARTCOIN: 0.266,
  TRUMP: 7.05,
  HYPE: 38.4,
  HNT: 2.31,
  ORCA: 1.24,
  TON: 1.83,
  POL: 0.142,
  STG: 0.131,
  APE: 0.274,
  CAKE: 2.37,
  ETHFI: 0.862,
  ZRO: 1.31,
  S: 0.112,
  BERA: 1.12,
  MON: 0.031,
  MOVE: 0.046,
  PUMP: 0.0027,
  XAU: 4_065,
  XAG: 50.3,
  AAPL: 266.25,
  TSLA: 395.23,
  SPY: 652.53,
  EUR: 1.1523,
  GBP: 1.3071,
  AUD: 0.6445,
  EURC: 1.1524,
};

const CROSS_LEVELS: Readonly<Record<string, number>> = { 'USD/JPY': 157.41, 'USD/CHF': 0.8062 };

const BTC_LIKE = /^(CBBTC|EBTC|LBTC|MBTC|SOLVBTC|UBTC|WBTC|ZBTC)$/;
const ETH_LIKE = /^(CBETH|CMETH|EZETH|RSETH|STONE|UETH|WEETH|WETH|WSTETH)$/;
const SOL_LIKE = /^(BSOL|INF|MSOL|USOL)$/;
const DOLLAR_LIKE = /USD|^(BOLD|BUCK|CASH|DAI|HONEY|MOD|THBILL)$/;

/** A number in [0, 1) that belongs to a feed, whatever the seed: the first digits of its id. */
function ownFraction(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) / 0x1_0000_0000;
}

function cryptoLevel(base: string, quote: string, id: string): { price: number; volatility: number } {
  const own = ownFraction(id);
  if (/\.RR$/.test(quote) || quote !== 'USD') return { price: 1 + own * 0.25, volatility: 0.0004 };
  const level = LEVELS[base];
  if (level !== undefined) return { price: level, volatility: 0.02 + own * 0.02 };
  if (BTC_LIKE.test(base)) return { price: (LEVELS.BTC ?? 1) * (0.998 + own * 0.004), volatility: 0.02 };
  if (ETH_LIKE.test(base)) return { price: (LEVELS.ETH ?? 1) * (1 + own * 0.2), volatility: 0.025 };
  if (SOL_LIKE.test(base)) return { price: (LEVELS.SOL ?? 1) * (1 + own * 0.3), volatility: 0.03 };
  if (DOLLAR_LIKE.test(base)) return { price: 1, volatility: 0.0004 };
  return { price: 0.01 * 10 ** (own * 3), volatility: 0.03 + own * 0.02 };
}

/** The character of a true feed, from its names; every one of them is updated in every slot. */
export function characterOf(assetType: string, base: string, quote: string, id: string): Character {
  const cadence: Cadence = { kind: 'every' };
  const confPpm = 180 + ownFraction(id) * 500;
  const level = CROSS_LEVELS[`${base}/${quote}`] ?? LEVELS[base] ?? 1;
  switch (assetType) {
    case 'fx':
      return { expo: quote === 'JPY' ? -3 : -5, typicalPrice: level, volatility: 0.004, confPpm, cadence };
    case 'metal':
      return { expo: base === 'XAU' ? -3 : -5, typicalPrice: level, volatility: 0.009, confPpm, cadence };
    case 'equity':
      return { expo: -5, typicalPrice: level, volatility: 0.012, confPpm, cadence };
    default: {
      const { price, volatility } = cryptoLevel(base, quote, id);
      return { expo: price < 0.001 ? -10 : -8, typicalPrice: price, volatility, confPpm, cadence };
    }
  }
}
