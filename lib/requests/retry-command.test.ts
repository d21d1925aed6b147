import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordWith } from '@/lib/core/log-row-fixture';
import { builtInNetwork } from '@/lib/core/registry';
import { retryCommand } from './retry-command';

const NETWORK = builtInNetwork('42161');
const RECORD = {
  ...recordWith({
    sequence: '18446744073709551615',
    user_random_number: JSON.stringify('AA'.repeat(32)),
    state: `{"state":"completed","callback_failed":true,"provider_random_number":"${'bb'.repeat(32)}"}`,
  }),
  provider: `0x${'52'.repeat(20)}`,
  keeper: 'main',
};

describe('the retry command', () => {
  it('calls the contract of the network with both contributions', () => {
    expect(retryCommand(RECORD, NETWORK)).toEqual({
      kind: 'command',
      text:
        'cast send 0x7698E925FfC29655576D0b361D75Af579e20AdAc "revealWithCallback(address,uint64,bytes32,bytes32)" ' +
        `0x${'52'.repeat(20)} 18446744073709551615 0x${'aa'.repeat(32)} 0x${'bb'.repeat(32)} ` +
        '--rpc-url $RPC_URL --private-key $PRIVATE_KEY',
    });
  });

  it('calls the contract that the keeper of the request serves, if it differs', () => {
    const served = `0x${'c0'.repeat(20)}`;
    const network = { ...NETWORK, contracts: { main: served } };
    expect(retryCommand(RECORD, network)).toMatchObject({
      text: expect.stringContaining(`cast send ${served} `),
    });
    expect(retryCommand({ ...RECORD, keeper: 'backup' }, network)).toEqual(retryCommand(RECORD, NETWORK));
  });

  it('is absent if the callback worked, and before it ran', () => {
    for (const state of [
      { kind: 'pending' },
      { kind: 'completed', callback: 'ok', providerRandomNumber: 'bb'.repeat(32) },
      { kind: 'failed', providerRandomNumber: 'bb'.repeat(32) },
      { kind: 'unknown', wireName: 'levitating' },
    ] as const) {
      expect(retryCommand({ ...RECORD, state }, NETWORK)).toEqual({ kind: 'none' });
    }
  });

  it('names the parts that are unknown or malformed', () => {
    const { contract: _, ...unnamed } = NETWORK;
    const odd = { ...RECORD, provider: '0x$(id)' };
    expect(retryCommand(odd, unnamed)).toEqual({
      kind: 'impossible',
      because: 'Not known, or not well-formed: the contract of this network and the address of the provider.',
    });
  });

  it('never carries foreign text into a shell', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, text, (provider, sequence, user, providerRandomNumber) => {
        const state = { kind: 'completed', callback: 'failed', providerRandomNumber } as const;
        const record = { ...RECORD, provider, sequence, userRandomNumber: user, state };
        expect(retryCommand(record, NETWORK).kind).toBe('impossible');
      }),
    );
  });
});
