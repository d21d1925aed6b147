/** Only to tell our own paths from addresses elsewhere. */
const SOMEWHERE = 'http://own.invalid';

/**
 * Where somebody wanted to be before signing in: a path of a page of ours. Anything that a browser could take for
 * another host, or that leads back to signing in, becomes the overview.
 */
export function returnPath(asked: string | undefined): string {
  if (asked === undefined || !/^\/(?![/\\])/.test(asked) || /[\\\p{Cc}]/u.test(asked)) return '/';
  if (!URL.canParse(asked, SOMEWHERE)) return '/';
  const { origin, pathname, search, hash } = new URL(asked, SOMEWHERE);
  const isPage =
    origin === SOMEWHERE && !/^\/(sign-in|api)(\/|$)/.test(pathname) && !pathname.startsWith('//');
  return isPage ? pathname + search + hash : '/';
}

/** The page that asks for the password, and afterwards leads to `path`. */
export function signInPath(path: string): string {
  const next = returnPath(path);
  return next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`;
}
