/** Where a service lives. */
export type ServiceAddress = {
  /** Scheme, host and port. */
  origin: string;
  /** The base URL's path without a trailing slash: empty, or such as `/hermes`. */
  prefix: string;
};

/** Splits a base URL, with or without a path prefix and a trailing slash. @throws TypeError when it is no URL */
export function serviceAddress(baseUrl: string): ServiceAddress {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/**
 * The request target for a path and a query below the address. `new URL(path, base)` would drop the prefix.
 * Characters that may not stand in a request line are percent-encoded; what is encoded already stays as it is.
 */
export function requestTarget({ prefix }: ServiceAddress, path: string, query: string | undefined): string {
  const target = prefix + path + (query ? `?${query}` : '');
  return target.replace(/[^\x21-\x7e]|#/gu, (character) =>
    character === '#' ? '%23' : encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
  );
}
