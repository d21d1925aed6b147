'use client';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useShortcut } from '@/lib/client/keyboard-hooks';
import { CommandPalette } from './command-palette';
import { focusContent } from './content-focus';
import { PAGES } from './pages';
import { focusSearch } from './search-focus';
import classes from './shell-keys.module.css';
import { useOnDemand } from './use-on-demand';

const loadPlaces = () => import('./palette-places');
const loadHelp = () => import('./keyboard-help');

function GoTo({ href, keys }: (typeof PAGES)[number]) {
  const router = useRouter();
  useShortcut(keys, () => {
    focusContent(document);
    router.push(href);
  });
  return null;
}

/** The shortcuts that work on every page, and the button that opens the command palette. */
export function ShellKeys() {
  const live = useLive();
  const [palette, setPalette] = useState<'open' | 'closed'>('closed');
  const places = useOnDemand(loadPlaces);
  const help = useOnDemand(loadHelp);
  const openPalette = () => {
    setPalette('open');
    void places.open();
  };
  useShortcut('mod+k', openPalette);
  useShortcut('?', help.open);
  useShortcut('/', () => (focusSearch(document) === 'found' ? undefined : openPalette()));
  return (
    <>
      {PAGES.map((page) => (
        <GoTo key={page.href} {...page} />
      ))}
      <button
        type="button"
        className={classes.opener}
        disabled={!live}
        aria-label="Command palette"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        title="Go to a page, a network, a request (Ctrl K)"
        onPointerEnter={() => void loadPlaces().catch(() => undefined)}
        onClick={openPalette}
      >
        <Icon name="search" size={14} />
        <span className={classes.words}>Go to…</span>
        <kbd className={classes.keys}>Ctrl K</kbd>
      </button>
      {palette === 'open' ? (
        <CommandPalette places={places.standing} onClose={() => setPalette('closed')} onHelp={help.open} />
      ) : null}
      {help.standing.kind === 'open' ? <help.standing.Part onClose={help.close} /> : null}
      {help.standing.kind === 'missing' ? <NotLoaded onDismiss={help.close} /> : null}
    </>
  );
}

function NotLoaded({ onDismiss }: { onDismiss: () => void }) {
  return (
    <p role="alert" className={classes.missing}>
      <Icon name="alert" size={14} /> This part of the dashboard could not be loaded. Reload the page.
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={onDismiss}>
        <Icon name="close" size={13} />
      </button>
    </p>
  );
}
