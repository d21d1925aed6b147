import { contractServed, type Network } from '@/lib/core/network';
import type { RequestRecord } from '@/lib/core/request-record';
import { unsignedDigits } from './request-address';

type RandomNumbers = {
  user: string | undefined;
  provider: string | null | undefined;
  combined: string | undefined;
};

/** `computed` is 64 hex digits without `0x`. */
export type RandomNumberVerdict =
  | { kind: 'verified'; computed: string }
  | { kind: 'mismatch'; computed: string }
  /** `number` is the first that prevents the check; `malformed`: not 32 bytes of hex. */
  | { kind: 'uncheckable'; number: keyof RandomNumbers; problem: 'missing' | 'malformed' };

const ORDER = ['user', 'provider', 'combined'] as const;

/** 32 bytes of hex, with or without `0x`, as 64 lower-case digits. */
export function wordDigits(text: string | null | undefined): string | undefined {
  return /^(?:0x)?([0-9a-f]{64})$/i.exec(text ?? '')?.[1]?.toLowerCase();
}

/** Expects keccak256(user ‖ provider ‖ 32 zero bytes). The hash function is loaded on demand. */
export async function verifyRandomNumber(numbers: RandomNumbers): Promise<RandomNumberVerdict> {
  for (const number of ORDER) {
    const problem = numbers[number] ? 'malformed' : 'missing';
    if (wordDigits(numbers[number]) === undefined) return { kind: 'uncheckable', number, problem };
  }
  const [user, provider, combined] = ORDER.map((number) => wordDigits(numbers[number]));
  const [{ keccak_256 }, { bytesToHex, hexToBytes }] = await Promise.all([
    import('@noble/hashes/sha3.js'),
    import('@noble/hashes/utils.js'),
  ]);
  const computed = bytesToHex(keccak_256(hexToBytes(`${user}${provider}${'0'.repeat(64)}`)));
  return { kind: computed === combined ? 'verified' : 'mismatch', computed };
}

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
