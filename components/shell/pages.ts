import type { Route } from 'next';

/** The pages that exist, in the order of the navigation, and the keys that lead to them. */
export const PAGES: readonly { href: Route; label: string; keys: string }[] = [
  { href: '/', label: 'Overview', keys: 'g o' },
  { href: '/requests', label: 'Requests', keys: 'g r' },
  { href: '/pending', label: 'Pending', keys: 'g p' },
  { href: '/feeds', label: 'Feeds', keys: 'g f' },
  { href: '/prices', label: 'Prices', keys: 'g c' },
  { href: '/services', label: 'Services', keys: 'g s' },
];

/** Of the element that stays when another page is shown in it. */
export const CONTENT_ID = 'content';

/** For keys that lead to another page: the focus is where that page begins, and is not lost with what had it before. */
export function focusContent(): void {
  document.getElementById(CONTENT_ID)?.focus({ preventScroll: true });
}
