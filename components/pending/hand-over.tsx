'use client';
import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useAnnounce } from '@/lib/client/announce';
import { explainFailure } from '@/lib/client/explain-failure';
import { type CopyResult, copyLoaded } from '@/lib/client/hand-over';
import { fetchIncident } from '@/lib/client/triage';
import classes from './hand-over.module.css';

const HandOverDialog = dynamic(() => import('./hand-over-dialog').then((part) => part.HandOverDialog), {
  ssr: false,
});

const SHOWN_MS = 2500;

/** The paper is written when it is asked for, so that its figures are of now. */
async function paperOf(id: string): Promise<{ ok: true; text: string } | { ok: false; why: string }> {
  const answer = await fetchIncident(id, AbortSignal.timeout(20_000));
  if (!answer.ok) return { ok: false, why: explainFailure(answer.failure).title };
  const { markdown } = answer.value;
  return markdown === undefined
    ? { ok: false, why: 'This incident is no longer there' }
    : { ok: true, text: markdown };
}

/** Copies the incident as Markdown, for whoever takes over. */
export function HandOver({ id, headline }: { id: string; headline: string }) {
  const live = useLive();
  const announce = useAnnounce();
  const [standing, setStanding] = useState<CopyResult | { kind: 'idle' } | { kind: 'busy' }>({
    kind: 'idle',
  });

  async function copy() {
    setStanding({ kind: 'busy' });
    const result = await copyLoaded(() => paperOf(id), navigator.clipboard as Clipboard | undefined);
    setStanding(result);
    if (result.kind === 'copied') announce('Incident copied as Markdown');
    if (result.kind === 'by-hand') return;
    setTimeout(() => setStanding((now) => (now === result ? { kind: 'idle' } : now)), SHOWN_MS);
  }

  return (
    <span className={classes.handOver}>
      <Button
        size="compact-xs"
        disabled={!live}
        data-busy={standing.kind === 'busy' ? 'yes' : undefined}
        aria-label={`Hand over: copy ${headline} as Markdown`}
        title="Copies the incident as Markdown"
        onClick={() => void copy()}
      >
        Hand over
      </Button>
      {standing.kind === 'copied' ? (
        <span className={classes.done}>
          <Icon name="check" size={13} /> Copied as Markdown
        </span>
      ) : null}
      {standing.kind === 'none' ? (
        <span className={classes.failed} role="alert">
          {standing.why}: nothing was copied.
        </span>
      ) : null}
      {standing.kind === 'by-hand' ? (
        <HandOverDialog text={standing.text} onClose={() => setStanding({ kind: 'idle' })} />
      ) : null}
    </span>
  );
}
