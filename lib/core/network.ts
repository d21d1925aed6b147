/** Pages get networks as props, so that no registry is sent to the browser. */
export type Network = {
  /** Decimal digits. */
  networkId: string;
  name: string;
  /** Undefined if no registry says. */
  testnet: boolean | undefined;
  /** https URL with `{hash}`. */
  explorerTx?: string;
  /** https URL with `{address}`. */
  explorerAddress?: string;
  /** The randomness contract. */
  contract?: string;
  /** Contracts of keepers that serve another one. */
  contracts?: Readonly<Record<string, string>>;
  /** False if no registry has the id, which is then the name. */
  known: boolean;
};

export function unknownNetwork(networkId: string): Network {
  return { networkId, name: `Network ${networkId}`, testnet: undefined, known: false };
}

export function contractServed({ contract, contracts }: Network, keeper: string): string | undefined {
  return new Map(Object.entries(contracts ?? {})).get(keeper) ?? contract;
}

/** The template must be an https URL once its placeholder is filled. */
export function isExplorerTemplate(template: string, placeholder: '{hash}' | '{address}'): boolean {
  return template.includes(placeholder) && httpsUrl(template.replaceAll(placeholder, '0x0')) !== undefined;
}

function httpsUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}

function explorerUrl(template: string | undefined, placeholder: string, hex = '', digits: RegExp) {
  if (!template?.includes(placeholder) || !digits.test(hex)) return undefined;
  return httpsUrl(template.replaceAll(placeholder, hex));
}

/** Undefined without an https template or a 32-byte hash. */
export const explorerTxUrl = ({ explorerTx }: Network, hash: string | undefined) =>
  explorerUrl(explorerTx, '{hash}', hash, /^0x[0-9a-fA-F]{64}$/);

/** Undefined without an https template or a 20-byte address. */
export const explorerAddressUrl = ({ explorerAddress }: Network, address: string | undefined) =>
  explorerUrl(explorerAddress, '{address}', address, /^0x[0-9a-fA-F]{40}$/);
