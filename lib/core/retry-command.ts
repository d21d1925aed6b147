import type { Network } from './network';
import { wordDigits } from './random-number';
import type { RequestRecord } from './request-record';

/** The command that runs a failed callback again, or why there is none; `none` where there is nothing to run again. */
export type RetryCommand =
  | { kind: 'command'; text: string }
  | { kind: 'impossible'; because: string }
  | { kind: 'none' };

/** Sequence numbers are u64. */
const MAX_SEQUENCE = 2n ** 64n - 1n;

/**
 * The call of `revealWithCallback` that runs the callback of a completed request again, for the `cast` of Foundry. Every
 * part of it is hex or digits by its form, so that no text of a stranger gets into a shell.
 */
export function retryCommand(record: RequestRecord, network: Network): RetryCommand {
  const { state } = record;
  if (state.kind === 'pending') {
    return {
      kind: 'impossible',
      because: 'The contribution of the provider does not exist yet, so nobody can reveal this request.',
    };
  }
  if (state.kind !== 'completed' || state.callback !== 'failed') return { kind: 'none' };
  const parts = {
    'the contract of this network': address(network.contract),
    'the address of the provider': address(record.provider),
    'the sequence number': sequence(record.sequence),
    'the user’s random number': word(record.userRandomNumber),
    'the provider’s random number': word(state.providerRandomNumber),
  };
  const missing = Object.entries(parts).flatMap(([name, part]) => (part === undefined ? name : []));
  if (missing.length > 0) {
    const names = missing.join(' and ');
    return { kind: 'impossible', because: `Not known, or not well-formed: ${names}.` };
  }
  const [contract, ...args] = Object.values(parts);
  const signature = '"revealWithCallback(address,uint64,bytes32,bytes32)"';
  const keys = '--rpc-url $RPC_URL --private-key $PRIVATE_KEY';
  return { kind: 'command', text: `cast send ${contract} ${signature} ${args.join(' ')} ${keys}` };
}

function address(text: string | undefined): string | undefined {
  return text !== undefined && /^0x[0-9a-fA-F]{40}$/.test(text) ? text : undefined;
}

function word(text: string | undefined): string | undefined {
  const digits = wordDigits(text);
  return digits === undefined ? undefined : `0x${digits}`;
}

function sequence(text: string): string | undefined {
  return /^\d{1,20}$/.test(text) && BigInt(text) <= MAX_SEQUENCE ? text : undefined;
}
