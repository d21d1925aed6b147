'use client';
import { Button, Checkbox, Group, Kbd, Modal, SimpleGrid, Table, Title } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useShortcut, useSingleKeys } from '@/components/ui/shortcuts';
import { Soft } from '@/components/ui/text';
import { focusContent, PAGES } from './pages';

/** Loaded when it is opened for the first time. */
const CommandPalette = dynamic(
  () => orNotice(import('./command-palette').then((part) => part.CommandPalette)),
  { ssr: false },
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
  const [isWanted, setWanted] = useState(false);
  const open = () => {
    setWanted(true);
    setOpened('palette');
  };
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
        aria-label="Go to… (command palette)"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        title="Go to a page, a network, a request (Ctrl K)"
        leftSection={<Icon name="search" size={14} />}
        rightSection={
          <Kbd aria-hidden size="xs">
            Ctrl K
          </Kbd>
        }
        onClick={open}
        visibleFrom="lg"
        flex="none"
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
      {isWanted ? <CommandPalette opened={opened === 'palette'} onClose={close} onHelp={help} /> : null}
      <Modal
        opened={opened === 'help'}
        onClose={close}
        title="Keyboard shortcuts"
        size="xl"
        transitionProps={{ duration: 0 }}
      >
        <KeyboardHelp />
      </Modal>
    </>
  );
}

/** Every shortcut there is, by where it works: keys as `useShortcut` takes them, alternatives separated by `|`. */
const SHORTCUTS: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  Everywhere: [
    ['mod+k', 'Command palette'],
    ['/', 'Search'],
    ...PAGES.map(({ keys, label }) => [keys, `Go to ${label}`] as const),
    ['?', 'Keyboard shortcuts'],
    ['Escape', 'Close a dialog, panel or menu'],
  ],
  'Request table': [
    ['j|ArrowDown', 'Next row'],
    ['k|ArrowUp', 'Previous row'],
    ['Home|End', 'First or last row'],
    ['Enter', 'Open the row'],
    ['ArrowRight|ArrowLeft', 'Move between cells'],
    ['Shift+F10', 'Menu of the cell: filter for, filter out, copy'],
    ['mod+c', 'Copy the cell'],
    ['[|]', 'Previous or next page'],
    ['l', 'Live on or off'],
  ],
  'Open request': [['j|k', 'Next or previous request']],
  'Overview charts': [
    ['ArrowLeft|ArrowRight', 'Move in time; with Shift select a range'],
    ['PageUp|PageDown', 'Move ten steps'],
    ['Enter', 'Open the requests'],
  ],
  'Feed chart': [
    ['ArrowLeft|ArrowRight', 'Move in time'],
    ['+|-', 'Zoom in or out'],
    ['End', 'Back to live'],
  ],
  'Feed board': [['ArrowLeft|ArrowRight|ArrowUp|ArrowDown', 'Move a tile by its handle']],
};

const NAMES: Record<string, string> = {
  mod: 'Ctrl',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowRight: '→',
  ArrowLeft: '←',
  Escape: 'Esc',
};

function Keys({ keys }: { keys: string }) {
  return keys.split('|').map((alternative, at) => (
    <span key={alternative}>
      {at > 0 ? ' or ' : null}
      {(alternative.length === 1 ? [alternative] : alternative.split(/[+ ]/)).map((key) => (
        <Kbd key={key} size="xs">
          {NAMES[key] ?? (alternative.includes('+') && key.length === 1 ? key.toUpperCase() : key)}
        </Kbd>
      ))}
    </span>
  ));
}

function KeyboardHelp() {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {Object.entries(SHORTCUTS).map(([place, shortcuts]) => (
          <section key={place}>
            <Title order={3}>{place}</Title>
            <Table verticalSpacing={3} withRowBorders={false}>
              <Table.Tbody>
                {shortcuts.map(([keys, what]) => (
                  <Table.Tr key={keys}>
                    <Table.Td w="7rem">
                      <Keys keys={keys} />
                    </Table.Td>
                    <Table.Td>{what}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        ))}
      </SimpleGrid>
      <Group justify="space-between" mt="md">
        <Checkbox
          size="sm"
          label="Single-key shortcuts"
          checked={singleKeys === 'on'}
          onChange={(event) => setSingleKeys(event.currentTarget.checked ? 'on' : 'off')}
        />
        <Soft size="sm">In text fields only Ctrl K works.</Soft>
      </Group>
    </>
  );
}
