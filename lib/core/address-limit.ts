import { groupDigits } from './numbers';

/**
 * Longest path and query of an address, in characters: room for about 500 senders in a filter. Proxies in
 * front of the dashboard must accept this length.
 */
export const MAX_ADDRESS = 32_000;
/**
 * Maximum number of query parameters of an address. Next loops over all of them once per parameter, so the cost grows
 * with the square.
 */
export const MAX_PARAMETERS = 600;
/**
 * Space reserved for parameters that a shared link or an export adds to a view: columns, zone, moment, total, format.
 */
const RESERVED_CHARACTERS = 1000;
const RESERVED_PARAMETERS = 20;

export const TOO_LONG_ADDRESS = `An address has at most ${groupDigits(MAX_ADDRESS)} characters. Choose fewer filter values.`;

/**
 * The reason why a view cannot be opened: its address would be too long for a link, a reload or the server. Undefined
 * if it fits.
 */
export function addressRefusal(address: string): string | undefined {
  const query = address.slice(address.indexOf('?') + 1);
  const parameters = query.split('&', MAX_PARAMETERS + 1).length;
  if (address.length > MAX_ADDRESS - RESERVED_CHARACTERS)
    return `The address of this view would have ${groupDigits(address.length)} characters; ${groupDigits(MAX_ADDRESS - RESERVED_CHARACTERS)} are possible. Choose fewer filter values.`;
  if (parameters > MAX_PARAMETERS - RESERVED_PARAMETERS)
    return `At most ${MAX_PARAMETERS - RESERVED_PARAMETERS} filter values are possible. Choose fewer.`;
  return undefined;
}
