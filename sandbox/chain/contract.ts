import type { Hex } from 'viem';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  parseAbi,
} from 'viem/utils';
import { type ChainRequest, type ChainWorld, GAS_PRICE } from './chain-world';

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
]);

/** The call reverted with this data, or a node would refuse it. */
export class RevertError extends Error {
  constructor(
    readonly data: string | undefined,
    message = 'execution reverted',
  ) {
    super(message);
  }
}

const ZERO = `0x${'0'.repeat(40)}` as const;
const ZERO_WORD = `0x${'0'.repeat(64)}` as const;
const NO_SUCH_REQUEST = '0xc4237352';
const NO_SUCH_PROVIDER = '0xdf51c431';
const INCORRECT_REVELATION = '0xb8be1a8d';
const BLOCK_GAS = 16_000_000;
const MAX_HASHES = 2000;
const SIXTEEN_BITS = 65_535;

/** A call of the contract, or of a requester on behalf of the contract. @throws Reverted */
export function runCall(world: ChainWorld, to: string, data: string): { returned: Hex; gas: number } {
  const call = decodeCall(data);
  if (call.functionName === '_entropyCallback') return runCallback(world, call.args);
  if (to.toLowerCase() !== world.network.contract.toLowerCase()) return { returned: '0x', gas: 21_000 };
  const { functionName, args } = call;
  const view = (returned: Hex) => ({ returned, gas: 30_000 });
  const provider = args[0].toLowerCase();
  if (functionName === 'getProviderInfoV2') {
    return view(encodeFunctionResult({ abi: ABI, functionName, result: providerInfo(world, provider) }));
  }
  const request = world.request(provider, Number(args[1]));
  const stored = request?.status === 'answered' ? undefined : request;
  const head = { ...requestHead(stored), provider: stored ? args[0] : ZERO };
  if (functionName === 'getRequest') {
    const result = { ...head, isRequestWithCallback: stored !== undefined };
    return view(encodeFunctionResult({ abi: ABI, functionName, result }));
  }
  if (functionName === 'getRequestV2') {
    const callbackStatus = stored === undefined ? 0 : stored.status === 'callback-failed' ? 3 : 1;
    const gasLimit10k = Math.min(SIXTEEN_BITS, Math.ceil((stored?.gasLimit ?? 0) / 10_000));
    const result = { ...head, callbackStatus, gasLimit10k };
    return view(encodeFunctionResult({ abi: ABI, functionName, result }));
  }
  if (stored === undefined) throw new RevertError(NO_SUCH_REQUEST);
  if (args[2] !== stored.user || args[3] !== stored.providerNumber)
    throw new RevertError(INCORRECT_REVELATION);
  return { returned: '0x', gas: reveal(stored) };
}

function decodeCall(data: string) {
  try {
    return decodeFunctionData({ abi: ABI, data: data as Hex });
  } catch {
    throw new RevertError('0x');
  }
}

function runCallback(
  world: ChainWorld,
  [sequence, provider]: readonly [bigint, string, string],
): { returned: Hex; gas: number } {
  const request = world.request(provider.toLowerCase(), Number(sequence));
  if (request?.callbackReverts !== undefined) throw new RevertError(request.callbackReverts);
  return { returned: '0x', gas: 50_000 };
}

/** Gas used by a reveal. @throws Reverted */
function reveal({ revealReverts, gasLimit }: ChainRequest): number {
  if (revealReverts !== undefined) throw new RevertError(revealReverts);
  if (gasLimit > BLOCK_GAS) throw new RevertError(undefined, `gas required exceeds allowance (${BLOCK_GAS})`);
  return Math.floor(gasLimit * 1.05) + 90_000;
}

function requestHead(stored: ChainRequest | undefined) {
  return {
    sequenceNumber: BigInt(stored?.sequence ?? 0),
    numHashes: stored === undefined ? 0 : 1,
    commitment: ZERO_WORD,
    blockNumber: BigInt(stored?.requestBlock ?? 0),
    requester: (stored?.sender ?? ZERO) as Hex,
    useBlockhash: false,
  };
}

function providerInfo(world: ChainWorld, provider: string) {
  const lane = world.lane(provider);
  if (lane === undefined) throw new RevertError(NO_SUCH_PROVIDER);
  return {
    feeInWei: BigInt(world.network.fee),
    accruedFeesInWei: BigInt(world.network.fee) * BigInt(lane.answered),
    originalCommitment: ZERO_WORD,
    originalCommitmentSequenceNumber: 1n,
    commitmentMetadata: '0x' as const,
    uri: '0x' as const,
    endSequenceNumber: BigInt(lane.end),
    sequenceNumber: BigInt(lane.next),
    currentCommitment: ZERO_WORD,
    currentCommitmentSequenceNumber: BigInt(lane.revealed),
    feeManager: ZERO,
    maxNumHashes: MAX_HASHES,
    defaultGasLimit: world.network.gasLimit,
  };
}

/** The log of a reveal as nodes return it; undefined for a request that is not revealed. */
export function revealedLog(world: ChainWorld, request: ChainRequest) {
  const { reveal, provider, sender, sequence } = request;
  if (reveal === undefined) return undefined;
  const topics = encodeEventTopics({
    abi: ABI,
    eventName: 'Revealed',
    args: { provider: provider as Hex, caller: sender as Hex, sequenceNumber: BigInt(sequence) },
  });
  const types = ['bytes32', 'bytes32', 'bytes32', 'bool', 'bytes', 'uint32', 'bytes'].map((type) => ({
    type,
  }));
  const data = encodeAbiParameters(types, [
    request.randomNumber,
    request.user,
    request.providerNumber,
    reveal.isCallbackFailed,
    reveal.returned,
    reveal.callbackGas,
    '0x',
  ]);
  return {
    address: world.network.contract.toLowerCase(),
    topics,
    data,
    blockNumber: hex(reveal.block),
    transactionHash: reveal.hash,
    logIndex: '0x0',
    removed: false,
  };
}

export function hex(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** Undefined for an unknown hash. */
export function transaction(world: ChainWorld, hash: string) {
  const requests = world.ofTransaction(hash).filter(({ status }) => status !== 'lost');
  const [first] = requests;
  if (first === undefined) return undefined;
  const isReveal = first.reveal?.hash === hash.toLowerCase();
  const block = isReveal ? (first.reveal?.block ?? 0) : first.requestBlock;
  if (block > world.head) return undefined;
  return {
    block,
    from: isReveal ? world.wallet().address : first.sender,
    isReverted: first.status === 'refused',
    gasUsed: isReveal ? (first.reveal?.gasUsed ?? 0) : 120_000,
    gasPrice: GAS_PRICE,
  };
}
