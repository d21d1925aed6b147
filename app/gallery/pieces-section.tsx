'use client';
import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { Combobox } from '@/components/ui/combobox';
import { CopyButton } from '@/components/ui/copy-button';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Icon, type IconName } from '@/components/ui/icons';
import { Kbd } from '@/components/ui/kbd';
import { ModalDialog } from '@/components/ui/modal-dialog';
import { PageMessage } from '@/components/ui/page-message';
import { keyNames, SHORTCUTS } from '@/lib/client/keyboard-shortcuts';
import { useMoment, useMomentWords } from '@/lib/client/time-style';
import classes from './gallery.module.css';
import { GallerySection, Specimen } from './specimen';

const ICONS: readonly IconName[] = [
  ...(['check', 'alert', 'cross', 'clock', 'dash', 'dotted', 'question', 'copy', 'external'] as const),
  ...(['refresh', 'search', 'sun', 'moon', 'screen', 'left', 'right', 'down', 'broken'] as const),
  ...(['play', 'pause', 'sliders', 'close'] as const),
];

const CHOICES = [
  { value: '', label: 'All networks' },
  { value: '8453', label: 'Base', hint: '8453' },
];

const nothing = () => {};

function Moment({ ms, sent }: { ms: number; sent?: string }) {
  const { text, title, iso } = useMoment(ms, sent);
  const words = useMomentWords();
  return (
    <p className="num">
      <time dateTime={iso} title={title}>
        {text}
      </time>{' '}
      (in a sentence: {words(ms)})
    </p>
  );
}

function Moments({ nowMs }: { nowMs: number }) {
  return (
    <Specimen name="Moments, in the style that the switch above says">
      {[0, 59_000, 180_000, 7_300_000, 200_000_000, -400_000].map((age) => (
        <Moment key={age} ms={nowMs - age} sent={new Date(nowMs - age).toISOString()} />
      ))}
      <Moment ms={1e20} sent="+33658-09-27T01:46:40Z" />
    </Specimen>
  );
}

function Dialog() {
  const [standing, setStanding] = useState<'open' | 'closed'>('closed');
  return (
    <>
      <Button onClick={() => setStanding('open')}>Open a dialog</Button>
      {standing === 'closed' ? null : (
        <ModalDialog label="A dialog" width="24rem" onClose={() => setStanding('closed')}>
          <p>Escape closes it.</p>
        </ModalDialog>
      )}
    </>
  );
}

function Controls() {
  return (
    <Specimen name="Controls">
      <div className={classes.row}>
        <Button>Default</Button>
        <Button variant="subtle">Subtle</Button>
        <Button disabled>Disabled</Button>
        <ActionIcon aria-label="Refresh">
          <Icon name="refresh" size={14} />
        </ActionIcon>
        <CopyButton value="0x00" label="Copy the value" />
        <Dialog />
        <Combobox
          label="Network of the gallery"
          placeholder="Name or id"
          choices={CHOICES}
          chosen={CHOICES[0]}
          choiceOf={() => undefined}
          onChoose={nothing}
        />
      </div>
    </Specimen>
  );
}

/** What no feature owns. */
export function PiecesSection({ nowMs }: { nowMs: number }) {
  return (
    <GallerySection name="pieces">
      <Moments nowMs={nowMs} />
      <Controls />
      <Specimen name="Pictograms">
        <div className={classes.row}>
          {ICONS.map((name) => (
            <Icon key={name} name={name} />
          ))}
        </div>
      </Specimen>
      <Specimen name="Keys">
        <div className={classes.row}>
          {SHORTCUTS.slice(0, 8).map(({ keys: [keys = ''] }) => (
            <Kbd key={keys} {...keyNames(keys)} />
          ))}
        </div>
      </Specimen>
      <Specimen name="A failure, explained">
        <FailureNotice
          title="Price router rejected our key (401)"
          said="<b>no</b>"
          kept="Charts show data up to 12:03:07 UTC."
          todo="Check ROUTER_API_KEY."
          retryInS={12}
          onRetry={nothing}
        />
      </Specimen>
      <Specimen name="A page that has only something to say">
        <PageMessage title="There is no such page" text="The address leads nowhere.">
          <Button>To the overview</Button>
        </PageMessage>
      </Specimen>
    </GallerySection>
  );
}
