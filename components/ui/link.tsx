import NextLink, { type LinkProps } from 'next/link';

/** Link without prefetch: a screen has hundreds of links, and few are opened. */
export function Link<Path>(props: LinkProps<Path>) {
  return <NextLink prefetch={false} {...props} />;
}
