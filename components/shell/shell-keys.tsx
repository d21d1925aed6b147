'use client';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { focusContent, PAGES } from '@/components/ui/pages';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { useShortcut } from '@/components/ui/shortcuts';
import classes from './shell.module.css';

const CommandPalette = dynamic(
  () => noticeOnFailure(import('./command-palette').then((part) => part.CommandPalette)),
  { ssr: false },
);
const KeyboardHelp = dynamic(
  () => noticeOnFailure(import('./keyboard-help').then((part) => part.KeyboardHelp)),
  {
    ssr: false,
  },
);

function GoTo({ href, keys }: (typeof PAGES)[number]) {
  const router = useRouter();
  useShortcut(keys, () => {
    focusContent();
    router.push(href);
  });
  return null;
}

const labelOf = (field: HTMLInputElement) =>
  (field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? '').trim();

function focusSearch(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>('main input:not(:disabled)')].filter(
    (field) => field.checkVisibility(),
  );
  const field =
    fields.find((field) => labelOf(field) === 'Search') ??
    fields.find((field) => field.matches('[type="search"], [role="combobox"]'));
  field?.focus();
  field?.select();
  return field !== undefined;
}

export function ShellKeys() {
  const live = useLive();
  const [opened, setOpened] = useState<'palette' | 'help'>();
  const [loaded, setLoaded] = useState({ palette: false, help: false });
  const open = (dialog: 'palette' | 'help') => {
    setLoaded({ ...loaded, [dialog]: true });
    setOpened(dialog);
  };
  const close = () => setOpened(undefined);
  const openPalette = () => open('palette');
  const openHelp = () => open('help');
  useShortcut('mod+k', openPalette);
  useShortcut('?', openHelp);
  useShortcut('/', () => (focusSearch() ? undefined : openPalette()));
  return (
    <>
      {PAGES.map((page) => (
        <GoTo key={page.href} {...page} />
      ))}
      <button
        type="button"
        className={classes.palette}
        disabled={!live}
        data-toolbar-toggle=""
        aria-label="Go to… (command palette)"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        title="Go to a page, a network, a request (Ctrl K)"
        onClick={openPalette}
      >
        <Icon name="search" size={14} />
        <span>Go to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      {loaded.palette ? (
        <CommandPalette opened={opened === 'palette'} onClose={close} onHelp={openHelp} />
      ) : null}
      {loaded.help ? <KeyboardHelp opened={opened === 'help'} onClose={close} /> : null}
    </>
  );
}
