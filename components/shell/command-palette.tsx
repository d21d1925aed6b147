'use client';
import { Combobox, Modal, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { Soft } from '@/components/ui/text';
import { useZoneSwitch } from '@/components/ui/time-style';
import type { Zone } from '@/lib/core/time-text';
import { useFeedDirectory } from '@/lib/feeds/client/directory';
import { findOnly } from '@/lib/requests/find';
import { fetchOfferedNetworks } from '@/lib/requests/networks';
import { recentQueries, recentRequests } from '@/lib/requests/recent';
import { focusContent } from './pages';
import { type PaletteCommand, type PaletteEntry, paletteSections, requestsPath } from './palette-entries';

type Props = { opened: boolean; onClose: () => void; onHelp: () => void };

/** Goes to pages, networks, feeds, states, recent requests and whatever was pasted, and does what pages can do. */
export function CommandPalette({ opened, onClose, onHelp }: Props) {
  // It gives the focus back to where it was when it was opened, which is never as it is mounted.
  const mounted = useMounted();
  return (
    <Modal.Root
      opened={opened && mounted}
      onClose={onClose}
      size="lg"
      yOffset="10vh"
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <Modal.Body p="xs">
          <Places onClose={onClose} onHelp={onHelp} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const FRESH_MS = 600_000;

function useSections(text: string) {
  const { data: networks } = useQuery({
    queryKey: ['networks', 'offered'],
    queryFn: ({ signal }) => fetchOfferedNetworks(signal),
    staleTime: FRESH_MS,
  });
  const feeds = useFeedDirectory(text !== '').data?.feeds;
  const [remembered] = useState(() => ({ requests: recentRequests(), queries: recentQueries() }));
  return useMemo(
    () => paletteSections(text, { networks: networks ?? [], feeds: feeds ?? [], ...remembered }),
    [text, networks, feeds, remembered],
  );
}

function useCommand(onHelp: () => void) {
  const { setColorScheme } = useMantineColorScheme();
  const { setZone } = useZoneSwitch();
  return (command: PaletteCommand) => {
    if (command === 'help') return onHelp();
    const [what, value] = command.split('-');
    if (what === 'theme') setColorScheme(value as 'auto' | 'light' | 'dark');
    else setZone(value as Zone);
  };
}

/** A page that has just been asked for has its buttons within this time. */
const PRESS_MS = 5000;

/** Presses the button of the page that is called so, once it is there and can be pressed. */
function pressButton(name: string, untilMs: number): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('main button:enabled')];
  const found = buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === name);
  if (found !== undefined) found.click();
  else if (performance.now() < untilMs) setTimeout(() => pressButton(name, untilMs), 50);
}

function Places({ onClose, onHelp }: Omit<Props, 'opened'>) {
  const router = useRouter();
  const run = useCommand(onHelp);
  const [text, setText] = useState('');
  const sections = useSections(text);
  const entries = sections.flatMap((section) => section.entries);
  const combobox = useCombobox({ opened: true });
  const { getSelectedOptionIndex, resetSelectedOption, selectFirstOption, updateSelectedOptionIndex } =
    combobox;
  // The list has its id once it is drawn: the field names it in the drawing after that one.
  useMounted();
  // Another text begins at its first entry. Networks that come later push the chosen entry down.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's functions are new with every drawing
  useEffect(() => {
    if (getSelectedOptionIndex() < 0) selectFirstOption();
    else updateSelectedOptionIndex('selected');
  }, [sections]);

  const go = (path: string) => router.push(path as Parameters<typeof router.push>[0]);

  async function goToFound(q: string, list: string) {
    const open = await findOnly(q);
    go(open === undefined ? list : requestsPath({ q, open }));
  }

  function take({ does }: PaletteEntry) {
    // First, so that the focus is back before a page or another dialog takes it.
    onClose();
    if ('command' in does) return run(does.command);
    const { path, press, find } = does;
    if (press === undefined || window.location.pathname !== path) {
      // When the dialog has given the focus back.
      setTimeout(focusContent);
      if (find === undefined) go(path);
      else void goToFound(find, path);
    }
    if (press !== undefined) pressButton(press, performance.now() + PRESS_MS);
  }

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(value) => {
        const entry = entries[Number(value)];
        if (entry !== undefined) take(entry);
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          role="combobox"
          size="md"
          aria-label="Go to"
          placeholder="Page, action, network, feed, hash, address or sequence"
          leftSection={<Icon name="search" size={16} />}
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={(event) => {
            resetSelectedOption();
            setText(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            const isOpener = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
            // Of Escape the list would only close itself, and it is always open here.
            if (!isOpener && event.key !== 'Escape') return;
            event.preventDefault();
            onClose();
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label="Places" mah="60vh" mt="xs" style={{ overflowY: 'auto' }}>
        {sections.map((section) => (
          <Combobox.Group key={section.title} label={section.title}>
            {section.entries.map((entry) => (
              <Combobox.Option
                key={entry.label}
                value={String(entries.indexOf(entry))}
                style={{ display: 'flex', justifyContent: 'space-between', gap: 16 }}
              >
                <bdi>{entry.label}</bdi>
                {entry.hint === undefined ? null : <span>{entry.hint}</span>}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      {entries.length > 0 ? null : (
        <Soft role="status" p="sm">
          No results
        </Soft>
      )}
      <Soft size="xs" px="xs" pt="xs">
        ↑ ↓ to choose, Enter to go, Esc to close
      </Soft>
    </Combobox>
  );
}
