import { useAlertStandings } from '@/lib/client/alert-hooks';
import { useAlertBook } from '@/lib/client/alert-of-browser';

/** How the alerts of one feed stand together, for its tile. */
export type FeedAlertLook = 'none' | 'set' | 'raised';

export function useFeedAlerts(feedId: string): FeedAlertLook {
  const { book } = useAlertBook();
  const standings = useAlertStandings();
  const own = book.alerts.filter((alert) => alert.feedId === feedId);
  if (own.some(({ id }) => standings.get(id)?.phase === 'raised')) return 'raised';
  return own.length > 0 ? 'set' : 'none';
}
