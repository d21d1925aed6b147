import type { Hex } from 'viem';
import {
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  pad,
  parseAbi,
  toHex,
} from 'viem/utils';
import type { EventLog } from './read';

/**
 * github.com/pyth-network/pyth-crosschain: IEntropyV2.sol, EntropyStructsV2.sol, EntropyEvents.sol,
 * EntropyEventsV2.sol. Older deployments have only the functions and events without V2.
 */
const ABI = parseAbi([
  'struct Request { address provider; uint64 sequenceNumber; uint32 numHashes; bytes32 commitment; uint64 blockNumber; address requester; bool useBlockhash; uint8 callbackStatus; uint16 gasLimit10k; }',
  'struct OldRequest { address provider; uint64 sequenceNumber; uint32 numHashes; bytes32 commitment; uint64 blockNumber; address requester; bool useBlockhash; bool isRequestWithCallback; }',
  'struct Provider { uint128 feeInWei; uint128 accruedFeesInWei; bytes32 originalCommitment; uint64 originalCommitmentSequenceNumber; bytes commitmentMetadata; bytes uri; uint64 endSequenceNumber; uint64 sequenceNumber; bytes32 currentCommitment; uint64 currentCommitmentSequenceNumber; address feeManager; uint32 maxNumHashes; uint32 defaultGasLimit; }',
  'function getRequestV2(address provider, uint64 sequenceNumber) view returns (Request)',
  'function getRequest(address provider, uint64 sequenceNumber) view returns (OldRequest)',
  'function getProviderInfoV2(address provider) view returns (Provider)',
  'function revealWithCallback(address provider, uint64 sequenceNumber, bytes32 userContribution, bytes32 providerContribution)',
  'function _entropyCallback(uint64 sequence, address provider, bytes32 randomNumber)',
  'event Revealed(address indexed provider, address indexed caller, uint64 indexed sequenceNumber, bytes32 randomNumber, bytes32 userContribution, bytes32 providerContribution, bool callbackFailed, bytes callbackReturnValue, uint32 callbackGasUsed, bytes extraArgs)',
  'event RevealedWithCallback(OldRequest request, bytes32 userRandomNumber, bytes32 providerRevelation, bytes32 randomNumber)',
  'event CallbackFailed(address indexed provider, address indexed requestor, uint64 indexed sequenceNumber, bytes32 userRandomNumber, bytes32 providerRevelation, bytes32 randomNumber, bytes errorCode)',
]);

/** `provider`: 20 bytes of hex with `0x`. */
export type RequestId = { provider: Hex; sequence: bigint };
/** Halves of a random number, 32 bytes of hex with `0x` each. */
type Contributions = { user: Hex; provider: Hex };

/** `callback` is `none` if the request wants none, or if an older contract does not report it. */
export type StoredRequest = {
  requester: Hex;
  block: bigint;
  numHashes: number;
  useBlockhash: boolean;
  callback: 'none' | 'not-started' | 'in-progress' | 'failed';
  /** Gas limit of the callback; undefined in older contracts, and if the request named none. */
  gasLimit?: bigint;
};

export type ProviderInfo = {
  endSequence: bigint;
  nextSequence: bigint;
  revealedSequence: bigint;
  maxNumHashes: number;
  accruedFeesWei: bigint;
};

/** A reveal as its event describes it. */
export type RevealEvent = {
  tx: string;
  block: bigint;
  callback: 'ok' | 'failed';
  /** Return data of a failed callback. */
  returned?: Hex;
  /** The requester, lower case. */
  requester: Hex;
  user: Hex;
  randomNumber: Hex;
};

/** Hex with `0x`. */
export const calls = {
  getRequestV2: ({ provider, sequence }: RequestId) =>
    encodeFunctionData({ abi: ABI, functionName: 'getRequestV2', args: [provider, sequence] }),
  getRequest: ({ provider, sequence }: RequestId) =>
    encodeFunctionData({ abi: ABI, functionName: 'getRequest', args: [provider, sequence] }),
  getProviderInfoV2: (provider: Hex) =>
    encodeFunctionData({ abi: ABI, functionName: 'getProviderInfoV2', args: [provider] }),
  revealWithCallback: ({ provider, sequence }: RequestId, numbers: Contributions) =>
    encodeFunctionData({
      abi: ABI,
      functionName: 'revealWithCallback',
      args: [provider, sequence, numbers.user, numbers.provider],
    }),
  entropyCallback: ({ provider, sequence }: RequestId, randomNumber: Hex) =>
    encodeFunctionData({
      abi: ABI,
      functionName: '_entropyCallback',
      args: [sequence, provider, randomNumber],
    }),
};

const ZERO_WORD = '0'.repeat(64);

/**
 * The random number of a request that does not use the hash of its block: keccak256(user ‖ provider ‖ 32 zero bytes).
 */
export function randomNumberOf({ user, provider }: Contributions): Hex {
  return keccak256(`0x${user.slice(2)}${provider.slice(2)}${ZERO_WORD}`);
}

/** A node's data may have any form. The decoder throws if it is not the expected one. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const CALLBACKS = ['none', 'not-started', 'in-progress', 'failed'] as const;

/** Null if the contract has none (any more), undefined if the data have another form. */
export function decodeRequestV2(data: Hex): StoredRequest | null | undefined {
  const request = decoded(() => decodeFunctionResult({ abi: ABI, functionName: 'getRequestV2', data }));
  if (request === undefined || request.sequenceNumber === 0n) return request && null;
  const callback = CALLBACKS[request.callbackStatus];
  if (callback === undefined) return undefined;
  const gasLimit = BigInt(request.gasLimit10k) * 10_000n;
  return { ...storedOf(request), callback, ...(gasLimit === 0n ? {} : { gasLimit }) };
}

/** An older contract calls the requester in the same transaction or not at all. */
export function decodeRequest(data: Hex): StoredRequest | null | undefined {
  const request = decoded(() => decodeFunctionResult({ abi: ABI, functionName: 'getRequest', data }));
  if (request === undefined || request.sequenceNumber === 0n) return request && null;
  return { ...storedOf(request), callback: request.isRequestWithCallback ? 'not-started' : 'none' };
}

const lowerCase = (address: Hex) => address.toLowerCase() as Hex;

type Stored = { requester: Hex; blockNumber: bigint; numHashes: number; useBlockhash: boolean };

function storedOf({ requester, blockNumber: block, numHashes, useBlockhash }: Stored) {
  return { requester: lowerCase(requester), block, numHashes, useBlockhash };
}

/** Undefined if the data have another form. For a provider that is not registered, all members are zero. */
export function decodeProvider(data: Hex): ProviderInfo | undefined {
  const info = decoded(() => decodeFunctionResult({ abi: ABI, functionName: 'getProviderInfoV2', data }));
  if (info === undefined) return undefined;
  return {
    endSequence: info.endSequenceNumber,
    nextSequence: info.sequenceNumber,
    revealedSequence: info.currentCommitmentSequenceNumber,
    maxNumHashes: info.maxNumHashes,
    accruedFeesWei: info.accruedFeesInWei,
  };
}

const topicOf = (eventName: 'Revealed' | 'RevealedWithCallback' | 'CallbackFailed') =>
  encodeEventTopics({ abi: ABI, eventName })[0] as Hex;
const word = (value: Hex | bigint) => pad(typeof value === 'bigint' ? toHex(value) : value, { size: 32 });

/** The main event of older contracts has no indexed members. */
export const revealTopics = ({ provider, sequence }: RequestId) => ({
  present: [[topicOf('Revealed'), topicOf('CallbackFailed')], word(provider), null, word(sequence)],
  older: [[topicOf('RevealedWithCallback')]],
});

/** Oldest first. Events of other requests or of another form are left out. */
export function decodeReveals(events: readonly EventLog[], { provider, sequence }: RequestId): RevealEvent[] {
  return events
    .flatMap((event): RevealEvent[] => {
      const topics = event.topics as [Hex, ...Hex[]];
      const log = decoded(() => decodeEventLog({ abi: ABI, topics, data: event.data as Hex }));
      if (log === undefined) return [];
      const place = { tx: event.tx, block: event.block };
      const { eventName, args } = log;
      const request = eventName === 'RevealedWithCallback' ? args.request : args;
      if (request.provider.toLowerCase() !== provider || request.sequenceNumber !== sequence) return [];
      if (eventName === 'Revealed') {
        const { callbackFailed, callbackReturnValue: returned, userContribution: user, randomNumber } = args;
        const reveal = { ...place, requester: lowerCase(args.caller), user, randomNumber };
        return [callbackFailed ? { ...reveal, callback: 'failed', returned } : { ...reveal, callback: 'ok' }];
      }
      const requester = lowerCase(eventName === 'CallbackFailed' ? args.requestor : args.request.requester);
      const reveal = { ...place, requester, user: args.userRandomNumber, randomNumber: args.randomNumber };
      return eventName === 'CallbackFailed'
        ? [{ ...reveal, callback: 'failed', returned: args.errorCode }]
        : [{ ...reveal, callback: 'ok' }];
    })
    .sort((a, b) => Number(a.block - b.block));
}
