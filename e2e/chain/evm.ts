import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';
import { encodeFunctionData, encodePacked, keccak256 } from 'viem/utils';

const require = createRequire(import.meta.url);

/** The first two accounts unlocked by anvil: the keeper's wallet, which is also the provider, and a requester. */
export const WALLET = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const CALLER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
export const CHAIN_ID = 8453;

type Compiled = { abi: Abi; bytecode: Hex };

type ContractName = 'TestEntropy' | 'TestEntropyV1' | 'TestRequester';

let compiled: Record<ContractName, Compiled> | undefined;

function contracts() {
  if (compiled !== undefined) return compiled;
  const input = {
    language: 'Solidity',
    sources: { 'entropy.sol': { content: readFileSync('e2e/chain/entropy.sol', 'utf8') } },
    settings: {
      evmVersion: 'paris',
      viaIR: true,
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(require('solc').compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors[0].formattedMessage);
  const made = output.contracts['entropy.sol'];
  const outputOf = (name: string): Compiled => {
    return { abi: made[name].abi, bytecode: `0x${made[name].evm.bytecode.object}` };
  };
  compiled = {
    TestEntropy: outputOf('TestEntropy'),
    TestEntropyV1: outputOf('TestEntropyV1'),
    TestRequester: outputOf('TestRequester'),
  };
  return compiled;
}

/** Numbers are hex without `0x`, as keepers write them. */
export type SentRequest = {
  sequence: number;
  tx: Hex;
  block: number;
  isReverted: boolean;
  user: string;
  contribution: string;
  sender: Hex;
  gasLimit: number;
};

type Receipt = {
  transactionHash: Hex;
  blockNumber: Hex;
  status: Hex;
  contractAddress: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
};

export class Evm {
  contract: Hex = '0x';
  requester: Hex = '0x';
  private sent = 0;

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** `args` are of anvil, such as `--timestamp`; `generation` is that of the contract. */
  static async start(
    args: readonly string[] = [],
    generation: 'TestEntropy' | 'TestEntropyV1' = 'TestEntropy',
  ): Promise<Evm> {
    const platform = process.arch === 'arm64' ? 'linux-arm64' : 'linux-amd64';
    const binary = require.resolve(`@foundry-rs/anvil-${platform}/bin/anvil`);
    const child = spawn(binary, ['--port', '0', '--chain-id', String(CHAIN_ID), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`anvil ended with ${code}: ${output}`)));
      child.stdout.on('data', (part) => {
        output += part;
        const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
        if (address !== undefined) resolve(`http://${address}`);
      });
    });
    const evm = new Evm(url, child);
    evm.contract = await evm.deploy(generation);
    evm.requester = await evm.deploy('TestRequester');
    await evm.register(1000, 0);
    return evm;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }

  async rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Registers the provider with this many numbers, from its next one on. */
  register(numbers: number, maxNumHashes: number): Promise<Receipt> {
    return this.send(WALLET, this.contract, 'TestEntropy', 'register', [BigInt(numbers), maxNumHashes]);
  }

  setFails(fails: boolean): Promise<Receipt> {
    return this.send(CALLER, this.requester, 'TestRequester', 'setFails', [fails]);
  }

  async request(gasLimit = 200_000): Promise<SentRequest> {
    this.sent += 1;
    const number = (salt: string) =>
      keccak256(encodePacked(['string', 'uint256'], [salt, BigInt(this.sent)]));
    const user = number('user');
    const contribution = number('provider');
    const commitment = keccak256(encodePacked(['bytes32', 'bytes32'], [user, keccak256(contribution)]));
    const args = [this.contract, WALLET, commitment, gasLimit / 10_000];
    const receipt = await this.send(CALLER, this.requester, 'TestRequester', 'ask', args);
    const isReverted = receipt.status === '0x0';
    if (isReverted) this.sent -= 1;
    return {
      sequence: isReverted ? this.sent + 1 : this.sent,
      tx: receipt.transactionHash,
      block: Number(receipt.blockNumber),
      isReverted,
      user: user.slice(2),
      contribution: contribution.slice(2),
      sender: this.requester,
      gasLimit,
    };
  }

  reveal({ sequence, user, contribution }: SentRequest): Promise<Receipt> {
    const args = [WALLET, BigInt(sequence), `0x${user}`, `0x${contribution}`];
    return this.send(WALLET, this.contract, 'TestEntropy', 'revealWithCallback', args);
  }

  setBalance(wei: bigint): Promise<unknown> {
    return this.rpc('anvil_setBalance', WALLET, `0x${wei.toString(16)}`);
  }

  async pass(seconds: number): Promise<void> {
    await this.rpc('evm_increaseTime', seconds);
    await this.rpc('evm_mine');
  }

  /** The transaction is not mined before `mine`. */
  async hang(): Promise<void> {
    await this.rpc('evm_setAutomine', false);
    await this.rpc('eth_sendTransaction', { from: WALLET, to: CALLER, value: '0x1', gas: '0x5208' });
  }

  private async deploy(name: ContractName): Promise<Hex> {
    const { bytecode: data } = contracts()[name];
    const hash = await this.rpc<Hex>('eth_sendTransaction', { from: WALLET, data, gas: '0x4c4b40' });
    return (await this.receipt(hash)).contractAddress;
  }

  private async send(
    from: string,
    to: Hex,
    name: ContractName,
    functionName: string,
    args: readonly unknown[],
  ): Promise<Receipt> {
    const data = encodeFunctionData({ abi: contracts()[name].abi, functionName, args });
    const hash = await this.rpc<Hex>('eth_sendTransaction', { from, to, data, gas: '0x1e8480' });
    return this.receipt(hash);
  }

  private async receipt(hash: Hex): Promise<Receipt> {
    for (;;) {
      const receipt = await this.rpc<Receipt | null>('eth_getTransactionReceipt', hash);
      if (receipt !== null) return receipt;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
