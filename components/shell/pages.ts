import type { Route } from 'next';

/** All pages in the order of the navigation, with their shortcuts. */
export const PAGES: readonly { href: Route; label: string; keys: string }[] = [
  { href: '/', label: 'Overview', keys: 'g o' },
  { href: '/requests', label: 'Requests', keys: 'g r' },
  { href: '/pending', label: 'Pending', keys: 'g p' },
  { href: '/feeds', label: 'Feeds', keys: 'g f' },
  { href: '/prices', label: 'Prices', keys: 'g c' },
  { href: '/services', label: 'Services', keys: 'g s' },
];

/** Id of the element around each page's content. */
export const CONTENT_ID = 'content';

/** Focuses the start of the content after a navigation by shortcut, since the element that had the focus may be gone. */
export function focusContent(): void {
  document.getElementById(CONTENT_ID)?.focus({ preventScroll: true });
}
