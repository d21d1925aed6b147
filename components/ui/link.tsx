import NextLink, { type LinkProps } from 'next/link';

/** A link whose page is fetched when somebody follows it: hundreds stand on a screen, and few are opened. */
export function Link<Path>(props: LinkProps<Path>) {
  return <NextLink prefetch={false} {...props} />;
}
