'use client';
import { Combobox, Modal, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { focusContent } from '@/components/ui/pages';
import { Muted } from '@/components/ui/text';
import { useZoneSwitch } from '@/components/ui/time-style';
import type { Zone } from '@/lib/core/time-text';
import { useFeedDirectory } from '@/lib/feeds/client/directory';
import { recentQueries, recentRequests } from '@/lib/requests/client/browsing-history';
import { findOnly } from '@/lib/requests/client/find-request';
import { fetchOfferedNetworks } from '@/lib/requests/client/use-networks';
import { type PaletteCommand, type PaletteEntry, paletteSections, requestsPath } from './palette-entries';
import { cancelPress, pressButton } from './press-button';

type Props = { opened: boolean; onClose: () => void; onHelp: () => void };

export function CommandPalette({ opened, onClose, onHelp }: Props) {
  // Mantine remembers the focus when `opened` becomes true, so the first render must be closed.
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

/** Closes the palette and does what an entry stands for. */
function useChoose(onClose: () => void, onHelp: () => void): (entry: PaletteEntry) => void {
  const router = useRouter();
  const run = useCommand(onHelp);
  const go = (path: string) => router.push(path as Parameters<typeof router.push>[0]);

  async function goToMatch(q: string, list: string) {
    const open = await findOnly(q);
    go(open === undefined ? list : requestsPath({ q, open }));
  }

  return ({ does }) => {
    // The dialog is closed first, so that the focus returns before a page or another dialog takes it.
    onClose();
    cancelPress();
    if ('command' in does) return run(does.command);
    const { path, press, find } = does;
    if (press === undefined || window.location.pathname !== path) {
      // After the dialog has returned the focus.
      setTimeout(focusContent);
      if (find === undefined) go(path);
      else void goToMatch(find, path);
    }
    if (press !== undefined) pressButton(press, path);
  };
}

function Places({ onClose, onHelp }: Omit<Props, 'opened'>) {
  const [text, setText] = useState('');
  const sections = useSections(text);
  const entries = sections.flatMap((section) => section.entries);
  const combobox = useCombobox({ opened: true });
  const { getSelectedOptionIndex, resetSelectedOption, selectFirstOption, updateSelectedOptionIndex } =
    combobox;
  // A second render lets the field refer to the id of the list.
  useMounted();
  // If networks load later and shift the entries, the highlight stays on its entry.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's functions are new with every render
  useEffect(() => {
    if (getSelectedOptionIndex() < 0) selectFirstOption();
    else updateSelectedOptionIndex('selected');
  }, [sections]);

  const choose = useChoose(onClose, onHelp);

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(value) => {
        const entry = entries[Number(value)];
        if (entry !== undefined) choose(entry);
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
            // The list, which is always open here, would otherwise take Escape from the dialog.
            if (!isOpener && event.key !== 'Escape') return;
            event.preventDefault();
            onClose();
          }}
        />
      </Combobox.EventsTarget>
      <PlaceOptions sections={sections} entries={entries} />
      {entries.length > 0 ? null : (
        <Muted role="status" p="sm">
          No results
        </Muted>
      )}
      <Muted size="xs" px="xs" pt="xs">
        ↑ ↓ to choose, Enter to go, Esc to close
      </Muted>
    </Combobox>
  );
}

type OptionsProps = { sections: ReturnType<typeof useSections>; entries: readonly PaletteEntry[] };

/** The value of an option is the index of its entry. */
function PlaceOptions({ sections, entries }: OptionsProps) {
  return (
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
  );
}
