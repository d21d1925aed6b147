import { contractServed, type Network } from '@/lib/core/network';
import type { RequestRecord } from '@/lib/core/request-record';
import { wordDigits } from './random-number';
import { unsignedDigits } from './request-address';

/** `none` if no callback failed. */
type RetryCommand =
  | { kind: 'command'; text: string }
  | { kind: 'impossible'; because: string }
  | { kind: 'none' };

/**
 * A command of Foundry's `cast`. Every argument is validated as hex or digits, so no foreign text gets into a shell.
 */
export function retryCommand(record: RequestRecord & { keeper: string }, network: Network): RetryCommand {
  const { state, keeper } = record;
  if (state.kind !== 'completed' || state.callback !== 'failed') return { kind: 'none' };
  const parts = {
    'the contract of this network': address(contractServed(network, keeper)),
    'the address of the provider': address(record.provider),
    'the sequence': unsignedDigits(record.sequence, 64n),
    'the user’s random number': word(record.userRandomNumber),
    'the provider’s random number': word(state.providerRandomNumber),
  };
  const missing = Object.entries(parts).flatMap(([name, part]) => (part === undefined ? name : []));
  if (missing.length > 0) {
    return { kind: 'impossible', because: `Not known, or not well-formed: ${missing.join(' and ')}.` };
  }
  const [contract, ...args] = Object.values(parts);
  const signature = '"revealWithCallback(address,uint64,bytes32,bytes32)"';
  const keys = '--rpc-url $RPC_URL --private-key $PRIVATE_KEY';
  return { kind: 'command', text: `cast send ${contract} ${signature} ${args.join(' ')} ${keys}` };
}

const address = (text = '') => (/^0x[0-9a-fA-F]{40}$/.test(text) ? text : undefined);

function word(text: string | undefined): string | undefined {
  const digits = wordDigits(text);
  return digits && `0x${digits}`;
}
