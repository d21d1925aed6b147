import NextLink, { type LinkProps } from 'next/link';

/** Link without prefetch: a screen has hundreds of them, and few are opened. */
export function Link<Path>(props: LinkProps<Path>) {
  return <NextLink prefetch={false} {...props} />;
}
