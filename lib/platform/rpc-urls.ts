import 'server-only';

/** The origin may be shown; path and query are secret. `networkId` is decimal digits. */
export type RpcAddress = { networkId: string; origin: string; target: string };

/** `network_id=url` entries, separated by commas or line breaks; undefined if one is malformed. */
export function parseRpcUrls(text: string): RpcAddress[] | undefined {
  const parts = text
    .split(/[\n,](?=\s*(?:\d+\s*=|$))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const addresses = parts.flatMap((part): (RpcAddress | undefined)[] => {
    const [, networkId, url = ''] = /^(0|[1-9]\d{0,19})\s*=\s*(\S+)$/.exec(part) ?? [];
    if (networkId === undefined || !/^https?:\/\/[\x21-\x7e]+$/i.test(url) || !URL.canParse(url))
      return [undefined];
    const { origin, pathname, search, hash, username, password } = new URL(url);
    return username || password || hash ? [undefined] : [{ networkId, origin, target: pathname + search }];
  });
  const isGood = addresses.length > 0 && addresses.every((address) => address !== undefined);
  return isGood ? addresses : undefined;
}
