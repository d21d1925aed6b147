import { describe, expect, it } from 'vitest';
import { failureGroup } from './request-failure';
import { failureCause, groupCause } from './request-failure-cause';
import type { RequestState } from './request-record';

const failed = (reason: string): RequestState => ({ kind: 'failed', reason });
const reverted = (value: string | undefined, gasUsed?: string): RequestState => ({
  kind: 'completed',
  callback: 'failed',
  callbackReturnValue: value,
  ...(gasUsed === undefined ? {} : { callbackGasUsed: gasUsed }),
});
const causeOf = (state: RequestState, gasLimit = '100000') => failureCause({ state, gasLimit });
const errorString = (text: string) => {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  const word = (value: number) => value.toString(16).padStart(64, '0');
  return `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
};

/** All reasons of the keeper's public source (`keeper/process_event.rs`), and their causes. */
const KEEPER_TEXTS: [text: string, side: string | undefined, step: RegExp][] = [
  ['Error revealing: index not in range', 'keeper', /commitment/],
  ['Error revealing: Hash chain for the requested sequence number is not available.', 'keeper', /secret/],
  ['Error revealing: out of range integral type conversion attempted', 'keeper', /keeper’s log/],
  ['Unable to estimate gas usage', 'keeper', /RPC/],
  ['Unable to estimate gas price', 'keeper', /RPC/],
  ['Error submitting the transaction on-chain', 'keeper', /wallet/],
  ['Transaction was submitted, but never confirmed. Hash: 0x6902…3586', 'keeper', /fees/],
  ['Reveal transaction failed on-chain. Hash: 0x6902…3586', undefined, /wallet’s transactions/],
  ['Gas limit exceeded: limit = 550000, estimate = 1203991', 'contract', /gas limit/],
  ['Reverted: 0x1c26714c', 'keeper', /gas/],
  ['Reverted: 0xc4237352', 'chain', /explorer/],
  ['Reverted: 0xb8be1a8d', 'keeper', /secret/],
  ['Reverted: 0x92555c0e', 'chain', /block/],
  [`Reverted: ${errorString('Game: round is over')}`, 'contract', /Simulate/],
  ['Reverted: 0xdeadbeef', 'contract', /selector/],
  ['Reverted: 0x', undefined, /Simulate/],
];

const REVERT_ERROR = errorString('Game: round is over');

/** Versions of that source from before it named reasons, and from after it separated chains, with backtraces. */
const OTHER_VERSIONS: [text: string, side: string | undefined, step: RegExp][] = [
  [
    'Error revealing: index not in range\n\nStack backtrace:\n   0: anyhow::error::msg',
    'keeper',
    /commitment/,
  ],
  ['Error revealing: Error estimating gas for reveal: MiddlewareError { e: … }', 'keeper', /RPC/],
  [
    `Error revealing: Error estimating gas for reveal: Revert(Bytes(${REVERT_ERROR}))`,
    'contract',
    /Simulate/,
  ],
  ['Error revealing: Error estimating gas for reveal: Revert(Bytes(0xc4237352))', 'chain', /explorer/],
  ['Error revealing: Error estimating gas for reveal: Revert(Bytes(0x))', undefined, /Simulate/],
  [
    'Error revealing: Gas estimate for reveal with callback is higher than the gas limit 3104455 > 2500000',
    'contract',
    /gas limit/,
  ],
  ['Error revealing: Gas price estimate error: ProviderError(…)', 'keeper', /RPC/],
  ['Error revealing: Error submitting the reveal transaction. Tx:Legacy(…), Error:…', 'keeper', /wallet/],
  [
    'Error revealing: Error submitting the reveal transaction. Tx:Legacy(…), Error:insufficient funds for gas',
    'keeper',
    /Fund/,
  ],
  ['Error revealing: Tx stuck in mempool. Resetting nonce. Tx:Legacy(…)', 'keeper', /fees/],
  ['Error revealing: Error waiting for transaction receipt. Tx:Legacy(…) Error:…', 'keeper', /fees/],
  [
    "Error revealing: Can't verify the reveal, probably dropped from mempool. Resetting nonce. Tx:Legacy(…)",
    'keeper',
    /fees/,
  ],
  ['Error revealing: Reveal transaction reverted on-chain. Tx:Legacy(…)', undefined, /keeper’s log/],
  ['Provider error: failed to fetch provider info: …', 'keeper', /RPC/],
  ['Unexpected error: gas usage estimate error: MiddlewareError { e: … }', 'keeper', /RPC/],
  [
    'Unexpected error: gas_used 340282366920938463463374607431768211456 exceeds supported range',
    undefined,
    /log/,
  ],
  [`Transaction was submitted, but never confirmed. Hash: 0x${'69'.repeat(32)}`, 'keeper', /fees/],
  [`Reveal transaction failed on-chain. Hash: 0x${'69'.repeat(32)}`, undefined, /wallet’s transactions/],
];

/** Passed on by a keeper. */
const NODE_TEXTS: [text: string, side: string | undefined, step: RegExp][] = [
  ['Error submitting the reveal: insufficient funds for gas * price + value', 'keeper', /Fund/],
  ['Error submitting the reveal: replacement transaction underpriced', 'keeper', /fee/],
  ['max fee per gas less than block base fee: address 0xab, maxFeePerGas: 5, baseFee: 9', 'keeper', /fee/],
  ['nonce too low: next nonce 17, tx nonce 12', 'keeper', /nonce/],
  ['already known', 'keeper', /nonce/],
  ['Error waiting for transaction confirmation: transaction dropped from the mempool', 'keeper', /fees/],
  ['Error making RPC call: (code: -32000, message: header not found, data: None)', 'keeper', /RPC/],
  ['error sending request for url (https://rpc.example/secret): connection refused', 'keeper', /RPC/],
  ['HTTP 429 Too Many Requests', 'keeper', /RPC/],
  ['deadline has elapsed', 'keeper', /RPC/],
  ['Gas estimate for the reveal is above the limit: 3104455 > 2500000', 'contract', /gas limit/],
  ['exceeds block gas limit', 'contract', /block gas limit/],
  ['Insufficient funds. The account has not enough to pay for gas', 'keeper', /Fund/],
  ['err: max fee per gas less than block base fee', 'keeper', /fee/],
  ['tx fee (2.10 ether) exceeds the configured cap (1.00 ether)', 'keeper', /fee/],
  ['nonce too high', 'keeper', /nonce/],
  ['txpool is full', 'keeper', /fees/],
  ['operation timed out', 'keeper', /RPC/],
  ['context deadline exceeded', 'keeper', /RPC/],
  ['error trying to connect: tcp connect error: Connection reset by peer (os error 104)', 'keeper', /RPC/],
  ['503 Service Unavailable', 'keeper', /RPC/],
];

describe('a failed request', () => {
  it.each([...KEEPER_TEXTS, ...OTHER_VERSIONS, ...NODE_TEXTS])('%s', (text, side, step) => {
    const cause = causeOf(failed(text));
    expect(cause?.side).toBe(side);
    expect(cause?.step).toMatch(step);
    // The sender is named only where it is at fault.
    if (side !== 'contract') expect(cause?.step).not.toMatch(/sender|contract’s owner/i);
  });

  it.each([
    ...['flux capacitor offline', 'toString', '', 'reverts are nice', 'Some new text of a later keeper'],
    // Words of nodes, used by a contract.
    ...['execution reverted: Too many requests', 'contract call reverted: timeout waiting for oracle'],
    ...[
      'insufficient balance of player',
      'NonceAlreadyUsed()',
      'deadline passed',
      'oracle connection closed',
    ],
    ...['User is not in the mempool game', 'Oracle timeout', 'fee cap reached', 'permit: nonce was used'],
    // No figures that could be compared.
    ...['gas limit exceeded', 'Gas limit exceeded: see the log', 'gas estimate is higher than expected'],
  ])('blames nobody for an unknown text: %j', (text) => {
    const cause = causeOf(failed(text));
    expect(cause?.side).toBeUndefined();
    expect(cause?.step).toMatch(/keeper’s log.*(chain|explorer)/);
    expect(cause?.step).not.toMatch(/sender|contract/);
  });

  it('names no side for an error that many contracts have', () => {
    const cause = causeOf(failed('Reverted: 0x82b42900'));
    expect(cause).toMatchObject({ step: expect.stringMatching(/Simulate/) });
    expect(cause?.side).toBeUndefined();
    const group = { group: 'Unauthorized', rows: 3, callbacks: 0 };
    expect(groupCause(group, [{ state: failed('Reverted: 0x82b42900') }]).side).toBeUndefined();
  });

  it('does not repeat a secret from a text that a contract wrote', () => {
    const cause = causeOf(failed(`Reverted: ${errorString('Unable to estimate gas price')}`));
    expect(cause?.side).toBe('contract');
  });
});

describe('a failed callback', () => {
  it('ran out of gas only without return data and with nearly all gas used', () => {
    expect(causeOf(reverted('0x', '98500'))).toMatchObject({
      side: 'contract',
      cause: 'Likely out of gas: 98.5% of the limit used',
    });
    expect(causeOf(reverted('0x', '95000'))?.cause).toContain('out of gas');
    expect(causeOf(reverted('0x', '94999'))?.cause).toBeUndefined();
  });

  it.each([
    ['an empty answer with 12% of the gas used', reverted('0x', '12000')],
    ['an empty answer without gas figures', reverted('0x')],
    ['an empty answer where no limit is known', reverted('0x', '98500'), ''],
    ['a text that names gas, with 12% of it used', reverted(errorString('out of gas'), '12000')],
    ['a text of its own, whatever gas was used', reverted(errorString('Round is over'), '99000')],
    ['a panic, whatever gas was used', reverted(`0x4e487b71${'11'.padStart(64, '0')}`, '99000')],
    ['no return value', reverted(undefined, '99000')],
    ['a contract that imitates our words', reverted(errorString('Reverted without data'), '99000')],
    ['more gas than the limit allows: another limit held', reverted('0x', '140000')],
  ] as const)('is not said to be out of gas: %s', (_, state, limit: string = '100000') => {
    const cause = causeOf(state, limit);
    expect(`${cause?.cause} ${cause?.step}`).not.toMatch(/out of gas|Raise/i);
    expect(cause?.side).toBe('contract');
  });

  it('is the contract’s fault, whatever its text', () => {
    expect(causeOf(reverted(errorString('insufficient funds'), '5000'))?.side).toBe('contract');
    expect(causeOf(reverted('0x1c26714c', '5000'))?.side).toBe('contract');
  });
});

it('has no cause where nothing failed', () => {
  expect(causeOf({ kind: 'pending' })).toBeUndefined();
  expect(causeOf({ kind: 'completed', callback: 'ok' })).toBeUndefined();
});

describe('a group of failures', () => {
  const groupOf = (state: RequestState) => failureGroup({ state }) ?? '';
  const ofFailed = (group: string, ...reasons: string[]) =>
    groupCause(
      { group, rows: reasons.length, callbacks: 0 },
      reasons.map((reason) => ({ state: failed(reason) })),
    );
  it.each([...KEEPER_TEXTS, ...OTHER_VERSIONS, ...NODE_TEXTS])(
    'is attributed to the side of its requests: %s',
    (text, side, step) => {
      const cause = ofFailed(groupOf(failed(text)), text, text);
      expect(cause.side).toBe(side);
      expect(cause.step).toMatch(step);
    },
  );

  it('is judged by its rows, since a contract can imitate the text of an error', () => {
    const [real, imitated] = ['Reverted: 0x3e515085', `Reverted: ${errorString('OutOfRandomness')}`];
    expect(groupOf(failed(imitated))).toBe(groupOf(failed(real)));
    expect(ofFailed('OutOfRandomness', real, real).side).toBe('keeper');
    expect(ofFailed('OutOfRandomness', imitated, imitated).side).toBe('contract');
    expect(ofFailed('OutOfRandomness', real, imitated).side).toBeUndefined();
    expect(groupCause({ group: 'OutOfRandomness', rows: 1, callbacks: 0 }, []).side).toBeUndefined();
    const funds = `Reverted: ${errorString('insufficient funds')}`;
    expect(ofFailed('insufficient funds', funds).side).toBe('contract');
  });

  it('is the same whether a keeper printed a backtrace, and however it printed the data of a revert', () => {
    expect(groupOf(failed('Error revealing: index not in range\n\nStack backtrace:\n   0: a::b'))).toBe(
      'Error revealing: index not in range',
    );
    const old = failed(`Error revealing: Error estimating gas for reveal: Revert(Bytes(${REVERT_ERROR}))`);
    expect(groupOf(old)).toBe(groupOf(failed(`Reverted: ${REVERT_ERROR}`)));
  });

  it('is the contract’s fault if all rows are callbacks, without a cause where figures are missing', () => {
    const callbacks = groupCause({ group: 'Reverted without data', rows: 5, callbacks: 5 }, []);
    expect(callbacks.side).toBe('contract');
    expect(`${callbacks.cause} ${callbacks.step}`).not.toMatch(/out of gas|Raise/);
    expect(groupCause({ group: 'out of gas', rows: 5, callbacks: 5 }, []).cause).toBeUndefined();
    expect(groupCause({ group: 'insufficient funds', rows: 5, callbacks: 5 }, []).side).toBe('contract');
  });

  it('names no side for an unrecognised text, unless all rows are callbacks', () => {
    expect(groupCause({ group: 'Some new text', rows: 5, callbacks: 4 }, []).side).toBeUndefined();
    expect(ofFailed('toString', 'toString').side).toBeUndefined();
    expect(groupCause({ group: 'Some new text', rows: 5, callbacks: 5 }, []).side).toBe('contract');
  });
});
