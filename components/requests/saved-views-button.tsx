'use client';
import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { type ToggleEvent, useId, useRef, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { placePopover } from '@/components/ui/popover-place';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { RequestsView } from '@/lib/requests/view';
import classes from './saved-views.module.css';
import type { ShowView } from './use-requests-view';

const SavedViewsMenu = dynamic(() => orNotice(import('./saved-views').then((part) => part.SavedViewsMenu)), {
  ssr: false,
});

/** The button and its window; what is in the window is loaded when it first opens, and read anew each time. */
export function SavedViewsButton({
  view,
  show,
  layout,
  rows,
}: {
  view: RequestsView;
  show: ShowView;
  layout: ColumnLayout;
  /** The loaded ones, whose networks are offered. */
  rows: readonly ListedRow[] | undefined;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [standing, setStanding] = useState<'open' | 'closed'>('closed');
  const toggle = ({ newState }: ToggleEvent<HTMLElement>) => {
    if (newState === 'open') placePopover(button.current, panel.current);
    setStanding(newState === 'open' ? 'open' : 'closed');
  };
  return (
    <>
      <Button
        ref={button}
        size="compact-xs"
        popoverTarget={id}
        aria-expanded={standing === 'open'}
        onPointerEnter={() => void import('./saved-views')}
      >
        Views
      </Button>
      <section
        ref={panel}
        id={id}
        popover="auto"
        className={classes.panel}
        aria-label="Views"
        onBeforeToggle={() => placePopover(button.current, panel.current)}
        onToggle={toggle}
      >
        {standing === 'open' ? (
          <SavedViewsMenu
            view={view}
            layout={layout}
            rows={rows}
            onShow={(chosen) => {
              panel.current?.hidePopover();
              show(() => chosen, 'push');
            }}
          />
        ) : null}
      </section>
    </>
  );
}
