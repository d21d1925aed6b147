'use client';
import { useEffect } from 'react';
import { useAnnounce } from '@/lib/client/announce';
import type { ExportState } from '@/lib/client/export-job';
import { percentOf } from '@/lib/client/export-words';
import classes from './take-away.module.css';

function words(job: ExportState): string | undefined {
  switch (job.kind) {
    case 'none':
      return undefined;
    case 'running': {
      const percent = job.progress === undefined ? undefined : percentOf(job.progress);
      return percent === undefined ? 'exporting…' : `${percent} %`;
    }
    case 'ended':
      return job.result.kind === 'complete' ? 'exported' : 'export incomplete';
  }
}

/** Leaving the page would cut the file off; the browser asks first. */
function useGuard(kind: ExportState['kind']): void {
  useEffect(() => {
    if (kind !== 'running') return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [kind]);
}

/** How far an export is that goes on behind its closed dialog. */
export function ExportMark({
  job,
  dialog,
  onOpen,
}: {
  job: ExportState;
  dialog: 'open' | 'closed';
  onOpen: () => void;
}) {
  const announce = useAnnounce();
  useGuard(job.kind);
  const isHidden = dialog === 'closed';
  const end = job.kind === 'ended' ? words(job) : undefined;
  useEffect(() => {
    if (isHidden && end !== undefined) announce(end);
  }, [isHidden, end, announce]);
  const said = words(job);
  if (said === undefined || !isHidden) return null;
  const worth = job.kind !== 'ended' ? 'open' : job.result.kind === 'complete' ? 'complete' : 'incomplete';
  return (
    <button
      type="button"
      className={classes.mark}
      data-worth={worth}
      aria-label={`How far it is: ${said}`}
      onClick={onOpen}
    >
      {said}
    </button>
  );
}
