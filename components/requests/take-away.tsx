'use client';
import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useState, useSyncExternalStore } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useAnnounce } from '@/lib/client/announce';
import { exportJob } from '@/lib/client/export-job';
import { type LoadedRequests, viewKeyOf } from '@/lib/client/requests';
import { sharedLink } from '@/lib/client/share';
import { useTimeStyle } from '@/lib/client/time-style';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { RequestsView } from '@/lib/requests/view';
import { ExportMark } from './export-standing';
import { SavedViewsButton } from './saved-views-button';
import classes from './take-away.module.css';
import type { ShowView } from './use-requests-view';

const ExportDialog = dynamic(() => orNotice(import('./export-dialog').then((part) => part.ExportDialog)), {
  ssr: false,
});
const ShareDialog = dynamic(() => orNotice(import('./share-dialog').then((part) => part.ShareDialog)), {
  ssr: false,
});

const COPIED_MS = 2500;

type Props = {
  view: RequestsView;
  /** The rows on screen; those of another view say nothing about this one. */
  listing: LoadedRequests | undefined;
  show: ShowView;
  layout: ColumnLayout;
};

/** Copies the link of what is on screen; where the browser does not allow that, the link is shown to be copied. */
function useShare({ view, listing, layout }: Omit<Props, 'show'>) {
  const { zone } = useTimeStyle();
  const [standing, setStanding] = useState<'idle' | 'copied' | { link: string }>('idle');
  const announce = useAnnounce();
  async function share() {
    const { asof, total } = listing ?? {};
    const link = sharedLink(view, { asof, total, layout, zone, nowMs: Date.now() }, window.location.origin);
    try {
      await navigator.clipboard.writeText(link);
      setStanding('copied');
      announce('Link copied');
      setTimeout(() => setStanding((now) => (now === 'copied' ? 'idle' : now)), COPIED_MS);
    } catch {
      // Over plain HTTP from another machine browsers have no clipboard.
      setStanding({ link });
    }
  }
  return { standing, share, done: () => setStanding('idle') };
}

/** What can be taken away from the table: a file with all matches, a link to these rows, views to come back to. */
export function TakeAway({ view, listing: page, show, layout }: Props) {
  const listing = page?.viewKey === viewKeyOf(view) ? page : undefined;
  const [dialog, setDialog] = useState<'open' | 'closed'>('closed');
  const job = useSyncExternalStore(exportJob.subscribe, exportJob.current, exportJob.current);
  const { standing, share, done } = useShare({ view, listing, layout });
  return (
    <>
      <Button
        size="compact-xs"
        aria-haspopup="dialog"
        onPointerEnter={() => void import('./export-dialog')}
        onClick={() => setDialog('open')}
      >
        Export
      </Button>
      <ExportMark job={job} dialog={dialog} onOpen={() => setDialog('open')} />
      <span className={classes.share}>
        <Button size="compact-xs" onClick={() => void share()}>
          Share
        </Button>
        {standing === 'copied' ? <span className={classes.copied}>Link copied</span> : null}
      </span>
      <SavedViewsButton view={view} show={show} layout={layout} rows={listing?.rows} />
      {dialog === 'open' ? (
        <ExportDialog
          view={view}
          listing={listing}
          layout={layout}
          job={job}
          onClose={() => setDialog('closed')}
        />
      ) : null}
      {typeof standing === 'object' ? <ShareDialog link={standing.link} onClose={done} /> : null}
    </>
  );
}
