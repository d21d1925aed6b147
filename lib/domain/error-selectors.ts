/** An error of the contracts by its selector: the name in Solidity, and what it means for an operator. */
export type KnownError = { name: string; meaning: string };

/** The two errors that Solidity itself makes, which carry arguments. */
export const ERROR_STRING = '0x08c379a0';
export const PANIC = '0x4e487b71';

/**
 * First four bytes of keccak256 of the error's signature, lower case, to the error. Those of the randomness contract as
 * deployed services report them, and the two of the language.
 */
const BY_SELECTOR: ReadonlyMap<string, KnownError> = new Map([
  [
    '0x1c26714c',
    { name: 'InsufficientGas', meaning: 'Not enough gas to run the callback with the wanted amount.' },
  ],
  ['0x3e515085', { name: 'OutOfRandomness', meaning: 'The provider has used up its committed chain.' }],
  ['0x5e5b3f1b', { name: 'UpdateTooOld', meaning: 'A newer commitment is already revealed.' }],
  [
    '0x50f0dc92',
    { name: 'InvalidRevealCall', meaning: 'The reveal function does not match the request function.' },
  ],
  ['0x82b42900', { name: 'Unauthorized', meaning: 'The sender may not make this call.' }],
  ['0x025dbdd4', { name: 'InsufficientFee', meaning: 'The fee is too low.' }],
  ['0x9376b93b', { name: 'MaxGasLimitExceeded', meaning: 'The gas limit is above 655,350,000.' }],
  ['0x92555c0e', { name: 'BlockhashUnavailable', meaning: 'The block hash is 0.' }],
  [
    '0xb8be1a8d',
    { name: 'IncorrectRevelation', meaning: 'The revealed value does not match its commitment.' },
  ],
  ['0xb28d9c76', { name: 'LastRevealedTooOld', meaning: 'Too many hashes since the last reveal.' }],
  ['0xc4237352', { name: 'NoSuchRequest', meaning: 'There is no such request on chain.' }],
  ['0xd82dd966', { name: 'AssertionFailure', meaning: 'An invariant of the contract is broken.' }],
  ['0xdf51c431', { name: 'NoSuchProvider', meaning: 'The provider is not registered.' }],
  [ERROR_STRING, { name: 'Error(string)', meaning: 'A require of the contract failed, with this text.' }],
  [PANIC, { name: 'Panic(uint256)', meaning: 'A check that Solidity makes by itself failed.' }],
]);

/** @param selector `0x` and eight hex digits, in any case */
export function knownError(selector: string): KnownError | undefined {
  return BY_SELECTOR.get(selector.toLowerCase());
}

/** The codes of `Panic(uint256)`, from the Solidity documentation ("Panic via assert and Error via require"). */
const PANIC_MEANINGS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'A panic that the compiler inserted.'],
  [0x01n, 'An assert was false.'],
  [0x11n, 'Arithmetic overflow or underflow.'],
  [0x12n, 'Division or modulo by zero.'],
  [0x21n, 'A value too large or negative was converted to an enum.'],
  [0x22n, 'A byte array in storage is wrongly encoded.'],
  [0x31n, 'pop() on an empty array.'],
  [0x32n, 'An index is out of bounds.'],
  [0x41n, 'Too much memory was allocated, or an array is too large.'],
  [0x51n, 'A function variable that was never set was called.'],
]);

/** What a code of `Panic(uint256)` says; undefined for one that the documentation does not name. */
export function panicMeaning(code: bigint): string | undefined {
  return PANIC_MEANINGS.get(code);
}
