'use client';
import { Button, Kbd } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useShortcut } from '@/components/ui/shortcuts';
import { CommandPalette } from './command-palette';
import { KeyboardHelp } from './keyboard-help';
import { focusContent, PAGES } from './pages';

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

/** Puts the focus into the page's field labelled Search, or into its first field for searching, when one can be seen. */
function focusSearch(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>('main input:not(:disabled)')].filter(
    (field) => field.checkVisibility(),
  );
  const field =
    fields.find((one) => labelOf(one) === 'Search') ??
    fields.find((one) => one.matches('[type="search"], [role="combobox"]'));
  field?.focus();
  field?.select();
  return field !== undefined;
}

/** The shortcuts that work on every page, and the button that opens the command palette. */
export function ShellKeys() {
  const live = useLive();
  const [opened, setOpened] = useState<'palette' | 'help'>();
  const open = () => setOpened('palette');
  const close = () => setOpened(undefined);
  const help = () => setOpened('help');
  useShortcut('mod+k', open);
  useShortcut('?', help);
  useShortcut('/', () => (focusSearch() ? undefined : open()));
  return (
    <>
      {PAGES.map((page) => (
        <GoTo key={page.href} {...page} />
      ))}
      <Button
        disabled={!live}
        aria-label="Command palette"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        title="Go to a page, a network, a request (Ctrl K)"
        leftSection={<Icon name="search" size={14} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={open}
        visibleFrom="lg"
      >
        Go to…
      </Button>
      <Button
        disabled={!live}
        aria-label="Command palette"
        aria-haspopup="dialog"
        px={6}
        onClick={open}
        hiddenFrom="lg"
      >
        <Icon name="search" size={14} />
      </Button>
      <CommandPalette opened={opened === 'palette'} onClose={close} onHelp={help} />
      <KeyboardHelp opened={opened === 'help'} onClose={close} />
    </>
  );
}
