import { clipped, shortened } from '@/lib/client/foreign-text';
import type { Network } from '@/lib/domain/network';
import classes from './cells.module.css';
import { useNetwork } from './networks-context';

const BARE_HEX = /^[0-9a-fA-F]{16,128}$/;

/** Both ends of a hex value, with or without `0x`; other text is clipped. */
export function shortHex(value: string): string {
  return BARE_HEX.test(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : shortened(value);
}

/**
 * A hash or an address: both ends of it, a link where the block explorer is known, the whole of it on hover.
 * `what` names it for assistive technology. `explorerUrl` is given only for a well-formed value.
 */
export function HexCell({
  value,
  what,
  explorerUrl,
}: {
  value: string | undefined;
  what: string;
  explorerUrl?: string | undefined;
}) {
  if (value === undefined) return null;
  const short = shortHex(value);
  if (explorerUrl === undefined) {
    return (
      <bdi className={classes.hex} title={clipped(value, 200)}>
        {short}
      </bdi>
    );
  }
  return (
    <a
      className={classes.explorer}
      href={explorerUrl}
      target="_blank"
      rel="noreferrer noopener"
      title={`${value}\nOpens in the block explorer`}
      aria-label={`${short}, ${what}, in the block explorer`}
    >
      {short}
    </a>
  );
}

/** The page of a well-formed value in a block explorer, where one is known. */
export type Explorer = (network: Network, value: string | undefined) => string | undefined;

/** The same with a link to the block explorer of the network. */
export function ExplorerCell({
  networkId,
  value,
  what,
  explorer,
}: {
  networkId: string;
  value: string | undefined;
  what: string;
  explorer: Explorer;
}) {
  const network = useNetwork(networkId);
  return <HexCell value={value} what={what} explorerUrl={explorer(network, value)} />;
}
