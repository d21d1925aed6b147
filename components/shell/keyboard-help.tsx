'use client';
import { Checkbox, Group, Kbd, Modal, SimpleGrid, Table, Title } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { PAGES } from '@/components/ui/pages';
import { useSingleKeys } from '@/components/ui/shortcuts';
import { Muted } from '@/components/ui/text';

/** Shortcuts by page: keys as in `useShortcut`, with alternatives separated by `|`. */
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
    ['x', 'Select the row'],
    ['ArrowRight|ArrowLeft', 'Move between cells'],
    ['Shift+F10', 'Menu of the cell: filter for, filter out, copy'],
    ['mod+c', 'Copy the cell'],
    ['[|]', 'Previous or next page'],
    ['l', 'Live on or off'],
  ],
  'Open request': [['j|k', 'Next or previous request']],
  Pending: [
    ['j|k', 'Next or previous line'],
    ['Enter', 'Open the line'],
  ],
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
  return keys.split('|').map((alternative, index) => (
    <span key={alternative}>
      {index > 0 ? ' or ' : null}
      {(alternative.length === 1 ? [alternative] : alternative.split(/[+ ]/)).map((key) => (
        <Kbd key={key} size="xs">
          {NAMES[key] ?? (alternative.includes('+') && key.length === 1 ? key.toUpperCase() : key)}
        </Kbd>
      ))}
    </span>
  ));
}

export function KeyboardHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  // Mantine remembers the focus when `opened` becomes true, so the first render must be closed.
  const mounted = useMounted();
  return (
    <Modal
      opened={opened && mounted}
      onClose={onClose}
      title="Keyboard shortcuts"
      size="xl"
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
          size="sm"
          label="Single-key shortcuts"
          checked={singleKeys === 'on'}
          onChange={(event) => setSingleKeys(event.currentTarget.checked ? 'on' : 'off')}
        />
        <Muted size="sm">In text fields only Ctrl K works.</Muted>
      </Group>
    </Modal>
  );
}
