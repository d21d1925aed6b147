import type { Route } from 'next';

/** Pages in the order of the navigation. */
export const PAGES: readonly { href: Route; label: string; keys: string; description: string }[] = [
  { href: '/', label: 'Overview', keys: 'g o', description: 'Problems, success rates and latency' },
  {
    href: '/requests',
    label: 'Requests',
    keys: 'g r',
    description: 'Every request, by state, network or hash',
  },
  { href: '/pending', label: 'Pending', keys: 'g p', description: 'Stuck requests with their likely cause' },
  { href: '/feeds', label: 'Feeds', keys: 'g f', description: 'Live prices with charts and alerts' },
  { href: '/prices', label: 'Prices', keys: 'g c', description: 'Lookup, symbols and payload inspector' },
  { href: '/services', label: 'Services', keys: 'g s', description: 'Health, keys and rate limits' },
];

/** Pages that the navigation does not list, below the page that leads to them. */
export const SUBPAGES: readonly { of: Route; href: Route; label: string; description: string }[] = [
  {
    of: '/pending',
    href: '/pending/history',
    label: 'History',
    description: 'Past incidents and degraded networks',
  },
  {
    of: '/pending',
    href: '/pending/alerts',
    label: 'Alerts',
    description: 'Rules, webhook and messages sent',
  },
  {
    of: '/prices',
    href: '/prices?view=symbols',
    label: 'Symbols',
    description: 'Directory of price symbols and feed ids',
  },
  {
    of: '/prices',
    href: '/prices?view=inspector',
    label: 'Inspector',
    description: 'Signed payloads decoded, byte by byte',
  },
];

export const CONTENT_ID = 'content';

/** Focuses the content. After a navigation by shortcut, the element that had the focus may be gone. */
export function focusContent(): void {
  document.getElementById(CONTENT_ID)?.focus({ preventScroll: true });
}
