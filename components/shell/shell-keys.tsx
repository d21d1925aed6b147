'use client';
import { Button, Checkbox, Group, Kbd, Modal, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useShortcut, useSingleKeys } from '@/components/ui/shortcuts';
import { CommandPalette } from './command-palette';
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

/** Every shortcut there is, by where it works: keys as `useShortcut` takes them, alternatives separated by `|`. */
const SHORTCUTS: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  Everywhere: [
    ['mod+k', 'Command palette: go to a page, a network, a state, a pasted hash'],
    ['/', 'Search'],
    ['g o', 'Go to Overview'],
    ['g r', 'Go to Requests'],
    ['g p', 'Go to Pending'],
    ['g f', 'Go to Feeds'],
    ['g c', 'Go to Prices'],
    ['g s', 'Go to Services'],
    ['?', 'This list'],
  ],
  'Requests: the table': [
    ['j|ArrowDown', 'Next row'],
    ['k|ArrowUp', 'Previous row'],
    ['Home', 'First row'],
    ['End', 'Last row'],
    ['Enter', 'Open the row'],
    ['ArrowRight', 'Into the cells of the row; up from the first row are the headers'],
    ['Shift+F10', 'Filter for, filter out or copy a cell'],
    ['mod+c', 'Copy a cell'],
    ['[', 'Previous page'],
    [']', 'Next page'],
    ['l', 'Live on or off'],
  ],
  'Requests: an open request': [
    ['j', 'Next request'],
    ['k', 'Previous request'],
    ['Escape', 'Close it'],
  ],
};

const NAMES: Record<string, string> = {
  mod: 'Ctrl',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowRight: '→',
  Escape: 'Esc',
};

function Keys({ keys }: { keys: string }) {
  return keys.split('|').map((alternative, at) => (
    <span key={alternative}>
      {at > 0 ? ' or ' : null}
      {alternative.split(/[+ ]/).map((key) => (
        <Kbd key={key} size="xs">
          {NAMES[key] ?? (alternative.includes('+') ? key.toUpperCase() : key)}
        </Kbd>
      ))}
    </span>
  ));
}

function KeyboardHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Keyboard shortcuts"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 0 }}
    >
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
          label="Shortcuts of single letters and signs"
          checked={singleKeys === 'on'}
          onChange={(event) => setSingleKeys(event.currentTarget.checked ? 'on' : 'off')}
        />
        <Text size="sm" c="dimmed">
          While you type into a field, only Ctrl K works.
        </Text>
      </Group>
    </Modal>
  );
}
