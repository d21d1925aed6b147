'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { FeedName } from '@/lib/client/feed-directory';
import { AlertBell } from './alert-bell';
import type { FeedAlertLook } from './use-feed-alerts';

/** Loaded when it is first opened. */
const AlertDialog = dynamic(() => import('./alert-dialog'), { ssr: false, loading: () => null });

const WORDS: Record<FeedAlertLook, string> = {
  none: 'Set an alert',
  set: 'Alerts',
  raised: 'Alert raised',
};

/** Opens the alerts of one feed; its bell says whether there are any and whether one is raised. */
export function AlertButton({ feed, look }: { feed: FeedName; look: FeedAlertLook }) {
  const [isOpen, setOpen] = useState(false);
  const words = WORDS[look];
  return (
    <>
      <button
        type="button"
        className="icon-button"
        data-alerts={look}
        aria-haspopup="dialog"
        aria-label={`${words}: ${feed.symbol}`}
        title={words}
        onClick={() => setOpen(true)}
      >
        <AlertBell look={look} />
      </button>
      {isOpen ? <AlertDialog feed={feed} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
