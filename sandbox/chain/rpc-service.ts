import type { SandboxClock } from '@/sandbox/clock';
import type { LogOverlay } from '@/sandbox/logs/log-overlay';
import { type Keeper, networkAt } from '@/sandbox/logs/networks';
import { Refusal, type SandboxService } from '@/sandbox/service';
import { ChainWorld, GAS_PRICE, networkNumber } from './chain-world';

type Source = {
  overlays: Record<Keeper, LogOverlay>;
  clock: SandboxClock;
  modes: { readonly walletWei: ReadonlyMap<string, bigint> };
};

type RpcRequest = { id?: unknown; method?: unknown; params?: unknown };

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: string,
  ) {
    super(message);
  }
}

/** Nodes by network id, whose chains agree with the log of the keeper. */
export function createRpcService({ overlays, clock, modes }: Source): SandboxService {
  return {
    name: 'rpc',
    base: '/rpc',
    routes: {
      rpc: {
        method: 'POST',
        path: /^\/\d+$/,
        isPublic: true,
        answer: async ({ path, body }) => {
          const number = networkNumber(path.slice(1));
          if (number === undefined) throw new Refusal(404, 'No such network');
          const { keeper, networkId } = networkAt(number);
          const wei = modes.walletWei.get(networkId);
          const world = new ChainWorld(overlays[keeper], number, clock.now(), wei);
          const requests = parsed(body);
          const answers = await Promise.all([requests].flat().map((request) => answerTo(world, request)));
          return JSON.stringify(Array.isArray(requests) ? answers : answers[0]);
        },
      },
    },
  };
}

function parsed(body: string): RpcRequest | RpcRequest[] {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'Parse error');
  }
}

async function answerTo(world: ChainWorld, { id = null, method, params }: RpcRequest): Promise<unknown> {
  try {
    const list = Array.isArray(params) ? params : [];
    return { jsonrpc: '2.0', id, result: await resultOf(world, String(method), list) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
}

/** Code that is never executed; what matters is that the contract has some. */
const CODE = '0x6080604052';
const MAX_RANGE = 10_000;

async function resultOf(world: ChainWorld, method: string, params: readonly unknown[]): Promise<unknown> {
  // Loaded on demand, because most sandboxes never need the ABI library.
  const { hex, revealedLog, RevertError, runCall, transaction } = await import('./contract');
  const block = (tag: unknown) => {
    if (typeof tag !== 'string' || !tag.startsWith('0x')) return world.head;
    return Number(tag);
  };
  const run = () => {
    const { to = '', data = '0x' } = (params[0] ?? {}) as { to?: string; data?: string };
    try {
      return runCall(world, to, data);
    } catch (error) {
      if (!(error instanceof RevertError)) throw error;
      throw new RpcError(error.data === undefined ? -32_000 : 3, error.message, error.data);
    }
  };
  switch (method) {
    case 'eth_chainId':
      return hex(BigInt(world.network.networkId));
    case 'eth_blockNumber':
      return hex(world.head);
    case 'eth_gasPrice':
      return hex(GAS_PRICE);
    case 'eth_getBlockByNumber': {
      const number = block(params[0]);
      if (number > world.head) return null;
      return { number: hex(number), timestamp: hex(Math.floor(world.blockTimeMs(number) / 1000)) };
    }
    case 'eth_getCode':
      return isContract(world, params[0]) ? CODE : '0x';
    case 'eth_call':
      return run().returned;
    case 'eth_estimateGas':
      return hex(run().gas);
    case 'eth_getBalance':
      return hex(isWallet(world, params[0]) ? world.wallet().wei : 0);
    case 'eth_getTransactionCount':
      return hex(isWallet(world, params[0]) ? world.wallet().nonce : 0);
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt': {
      const mined = transaction(world, String(params[0]));
      if (mined === undefined) return null;
      return {
        transactionHash: params[0],
        hash: params[0],
        blockNumber: hex(mined.block),
        from: mined.from,
        status: mined.isReverted ? '0x0' : '0x1',
        gasUsed: hex(mined.gasUsed),
        effectiveGasPrice: hex(mined.gasPrice),
      };
    }
    case 'eth_getLogs':
      return revealLogs(world, params[0], block, revealedLog);
    default:
      throw new RpcError(-32_601, `the method ${method.slice(0, 60)} does not exist`);
  }
}

type Contract = typeof import('./contract');

/** The logged reveal: at most one, because the topics name a request. */
function revealLogs(
  world: ChainWorld,
  filter: unknown,
  blockOf: (tag: unknown) => number,
  revealedLog: Contract['revealedLog'],
): unknown[] {
  const { fromBlock, toBlock, topics } = (filter ?? {}) as {
    fromBlock?: string;
    toBlock?: string;
    topics?: unknown[];
  };
  const first = blockOf(fromBlock);
  const last = Math.min(blockOf(toBlock), world.head);
  if (last - first > MAX_RANGE) throw new RpcError(-32_005, `block range is above ${MAX_RANGE} blocks`);
  const [, provider, , sequence] = topics ?? [];
  if (typeof provider !== 'string' || typeof sequence !== 'string') return [];
  const request = world.request(`0x${provider.slice(-40)}`.toLowerCase(), Number(sequence));
  const revealed = request && revealedLog(world, request);
  const isWithin =
    revealed !== undefined && Number(revealed.blockNumber) >= first && Number(revealed.blockNumber) <= last;
  return isWithin ? [revealed] : [];
}

function isContract(world: ChainWorld, address: unknown): boolean {
  return String(address).toLowerCase() === world.network.contract.toLowerCase();
}

function isWallet(world: ChainWorld, address: unknown): boolean {
  return String(address).toLowerCase() === world.wallet().address;
}
