/** 32 bytes of ABI encoding for a number. */
function abiNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The return data of a failed Solidity `require` with a text: selector, offset, length, text. */
function errorString(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const padded = Math.ceil(bytes.length / 32) * 64;
  return `0x08c379a0${abiNumber(32)}${abiNumber(bytes.length)}${bytes.toString('hex').padEnd(padded, '0')}`;
}

/** The return data of a Solidity panic, such as 0x11 for an arithmetic overflow. */
function panic(code: number): string {
  return `0x4e487b71${abiNumber(code)}`;
}

/** What a failed callback returns; the frequent ones stand several times. Bare `0x` is mostly out of gas. */
export const CALLBACK_RETURNS: readonly string[] = [
  '0x',
  '0x',
  '0x',
  '0x',
  errorString('Game: round is over'),
  errorString('ERC20: transfer amount exceeds balance'),
  errorString('Pausable: paused'),
  errorString('NFT: sold out'),
  panic(0x11),
  panic(0x12),
  panic(0x32),
  // InsufficientGas, Unauthorized, NoSuchRequest, InsufficientFee.
  '0x1c26714c',
  '0x82b42900',
  '0xc4237352',
  '0x025dbdd4',
];

/** Why a request failed at all, as free text; some hold an error selector. */
export const FAILURE_REASONS: readonly string[] = [
  'Reverted: 0x1c26714c',
  'Reverted: 0x5e5b3f1b',
  'Reverted: 0x50f0dc92',
  'Reverted: 0xc4237352',
  'Reverted: 0xb8be1a8d',
  'Reverted: 0xb28d9c76',
  'Reverted: 0x92555c0e',
  'Reverted: 0xd82dd966',
  `Reverted: ${errorString('Entropy: callback gas exceeded')}`,
  `Reverted: ${panic(0x11)}`,
  'Error submitting the reveal: insufficient funds for gas * price + value',
  'Error submitting the reveal: replacement transaction underpriced',
  'Gas estimate for the reveal is above the limit: 3104455 > 2500000',
  'Error waiting for transaction confirmation: transaction dropped from the mempool',
  'Error making RPC call: (code: -32000, message: header not found, data: None)',
];

/** Failures found before the chain is asked: these records have no contribution of the provider. */
export function hasNoContribution(reason: string): boolean {
  return !reason.startsWith('Reverted');
}
