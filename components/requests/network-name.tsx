import type { CSSProperties } from 'react';
import type { Network } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import classes from './table.module.css';

/** The same colour for a network wherever it stands; neighbours of the list are far apart on the wheel. */
export function hueOf(networkId: string): number {
  let hash = 7;
  for (const digit of networkId) hash = (hash * 31 + digit.charCodeAt(0)) % 997;
  return (hash * 137) % 360;
}

/** A coloured mark and the name, by which networks can be scanned. One element: a page holds up to a thousand of them. */
export function NetworkName({ network: { networkId, name }, title }: { network: Network; title?: string }) {
  return (
    <bdi className={classes.network} style={{ '--hue': hueOf(networkId) } as CSSProperties} title={title}>
      {clipped(name, 100)}
    </bdi>
  );
}
