'use client';
import { PopoverButton } from '@/components/ui/popover-button';
import { useAlertStandings } from '@/lib/client/alert-hooks';
import { useAlertBook } from '@/lib/client/alert-of-browser';
import { AlertBell } from './alert-bell';
import { AlertList } from './alert-list';

/** The alerts of this browser behind a button that counts those that are raised. */
export function AlertMenu() {
  const { book } = useAlertBook();
  const standings = useAlertStandings();
  const raised = book.alerts.filter(({ id }) => standings.get(id)?.phase === 'raised').length;
  return (
    <PopoverButton
      name="Alerts"
      look="words"
      mark={raised > 0 ? 'active' : 'idle'}
      face={
        <>
          <AlertBell look={raised > 0 ? 'raised' : book.alerts.length > 0 ? 'set' : 'none'} />
          {raised > 0 ? `Alerts: ${raised} raised` : 'Alerts'}
        </>
      }
    >
      <AlertList />
    </PopoverButton>
  );
}
