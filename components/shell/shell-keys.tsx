'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useShortcut } from '@/lib/client/keyboard-hooks';
import { useTypedAhead } from '@/lib/client/typed-ahead';
import { focusContent } from './content-focus';
import { PAGES } from './pages';
import { focusSearch } from './search-focus';
import classes from './shell-keys.module.css';
import { useOnDemand } from './use-on-demand';

const loadPalette = () => import('./command-palette');
const loadHelp = () => import('./keyboard-help');

function GoTo({ href, keys }: (typeof PAGES)[number]) {
  const router = useRouter();
  useShortcut(keys, () => {
    focusContent(document);
    router.push(href);
  });
  return null;
}

/** The palette, and what was typed for it before its script had come. */
function usePaletteOnDemand() {
  const { standing, open, close } = useOnDemand(loadPalette);
  const { begin, take } = useTypedAhead();
  useEffect(() => {
    if (standing.kind === 'missing') take();
  }, [standing, take]);
  const openAndListen = () => {
    if (standing.kind !== 'open') begin(close);
    void open();
  };
  return { standing, open: openAndListen, close, take };
}

/** The shortcuts that work on every page, and the button that opens the command palette. */
export function ShellKeys() {
  const live = useLive();
  const palette = usePaletteOnDemand();
  const help = useOnDemand(loadHelp);
  useShortcut('mod+k', palette.open);
  useShortcut('?', help.open);
  useShortcut('/', () => (focusSearch(document) === 'found' ? undefined : palette.open()));
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
        onPointerEnter={() => void loadPalette().catch(() => undefined)}
        onClick={palette.open}
      >
        <Icon name="search" size={14} />
        <span className={classes.words}>Go to…</span>
        <kbd className={classes.keys}>Ctrl K</kbd>
      </button>
      {palette.standing.kind === 'open' ? (
        <palette.standing.Part onClose={palette.close} onHelp={help.open} takeTyped={palette.take} />
      ) : null}
      {help.standing.kind === 'open' ? <help.standing.Part onClose={help.close} /> : null}
      {palette.standing.kind === 'missing' ? <NotLoaded onDismiss={palette.close} /> : null}
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
