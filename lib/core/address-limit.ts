import { groupDigits } from './numbers';

/** Characters of path and query: about 500 senders in a filter. Proxies in front must accept this length. */
export const MAX_ADDRESS = 32_000;
/** Parameters of an address. Next loops over all of them once per parameter, so the cost is quadratic. */
export const MAX_PARAMETERS = 600;
/** Room for what a shared link or an export adds to a view: columns, zone, moment, total, format. */
const RESERVED_CHARACTERS = 1000;
const RESERVED_PARAMETERS = 20;

export const TOO_LONG_ADDRESS = `An address has at most ${groupDigits(MAX_ADDRESS)} characters. Choose fewer filter values.`;

/** Why a view cannot be opened: its address is too long for a link, a reload or the server. Undefined if it fits. */
export function addressRefusal(address: string): string | undefined {
  const query = address.slice(address.indexOf('?') + 1);
  const parameters = query.split('&', MAX_PARAMETERS + 1).length;
  if (address.length > MAX_ADDRESS - RESERVED_CHARACTERS)
    return `The address of this view would have ${groupDigits(address.length)} characters; ${groupDigits(MAX_ADDRESS - RESERVED_CHARACTERS)} are possible. Choose fewer filter values.`;
  if (parameters > MAX_PARAMETERS - RESERVED_PARAMETERS)
    return `At most ${MAX_PARAMETERS - RESERVED_PARAMETERS} filter values are possible. Choose fewer.`;
  return undefined;
}
