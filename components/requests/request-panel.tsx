'use client';
import { ActionIcon, Drawer, Group, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import Link from 'next/link';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import type { Network } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import type { ListedRow } from '@/lib/requests/answers';
import { askedOfKey, NOTHING_RELATED, requestPath } from '@/lib/requests/request-address';
import classes from './request.module.css';
import { RequestDetails, UnreadableDetails } from './request-details';
import { CopyLink, SectionHeadings } from './request-parts';
import { NetworkName, NetworksProvider, useNetwork } from './requests-context';
import { useOneRequest } from './use-one-request';

type Props = {
  row: ListedRow;
  networks: readonly Network[];
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
};

/**
 * One row beside the table, which stays in view and in use; on a phone a sheet from below. `j` and `k` step, Escape closes.
 */
export function RequestPanel({ networks, ...props }: Props) {
  const { row, onClose, onStep } = props;
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const panel = usePanelFocus(row.key);
  const frame = {
    'aria-label': 'Request',
    'data-open-request': row.key,
    onKeyDown: (event: KeyboardEvent) => pressKey(event, onClose, onStep),
  };
  const content = (
    <NetworksProvider networks={networks}>
      <SectionHeadings value={3}>
        <PanelHead {...props} />
        <PanelBody key={row.key} row={row} networks={networks} />
      </SectionHeadings>
    </NetworksProvider>
  );
  if (!isPhone) {
    return (
      <aside ref={panel} className={classes.panel} tabIndex={-1} {...frame}>
        {content}
      </aside>
    );
  }
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position="bottom"
      size="88dvh"
      classNames={{ content: classes.sheet }}
    >
      <Drawer.Overlay />
      <Drawer.Content {...frame}>{content}</Drawer.Content>
    </Drawer.Root>
  );
}

function PanelBody({ row, networks }: Pick<Props, 'row' | 'networks'>) {
  const { one } = useOneRequest(row.kind === 'record' ? askedOfKey(row.key) : undefined);
  // A table that stands still may show it pending when its outcome is known.
  const latest = one?.rows.find((found) => found.key === row.key);
  const record = row.kind === 'record' && row.state.kind === 'pending' ? (latest ?? row) : row;
  return (
    <div className={classes.panelBody} data-scrolls="yes">
      {record.kind === 'record' ? (
        <RequestDetails
          record={record}
          related={one === undefined ? undefined : (one.related ?? NOTHING_RELATED)}
          networks={networks}
        />
      ) : (
        <UnreadableDetails row={record} />
      )}
    </div>
  );
}

function PanelHead({ row, onClose, onStep }: Omit<Props, 'networks'>) {
  const network = useNetwork(row.kind === 'record' ? row.networkId : '');
  const icon = (label: string, key: string, shape: string, onClick: () => void) => (
    <ActionIcon aria-label={label} title={`${label} (${key})`} onClick={onClick}>
      {shape === '' ? <Icon name="cross" /> : shape}
    </ActionIcon>
  );
  return (
    <Group className={classes.panelHead} gap="xs" wrap="nowrap" justify="space-between">
      {/* As high for a long title as for a short one: stepping from row to row must not move what is read. */}
      <Title order={2} lineClamp={2} lh={1.25}>
        {row.kind === 'record' ? (
          <>
            <span className="num">{clipped(row.sequence, 40)}</span> on <NetworkName network={network} />
          </>
        ) : (
          'Unreadable row'
        )}
      </Title>
      <Group gap={4} wrap="nowrap">
        {row.kind === 'record' ? (
          <>
            <Link href={requestPath(row)} prefetch={false} className={classes.open}>
              Open page
            </Link>
            <CopyLink path={requestPath(row)} />
          </>
        ) : null}
        {icon('Previous row', 'k', '↑', () => onStep(-1))}
        {icon('Next row', 'j', '↓', () => onStep(1))}
        {icon('Close', 'Escape', '', onClose)}
      </Group>
    </Group>
  );
}

function pressKey(event: KeyboardEvent, onClose: Props['onClose'], onStep: Props['onStep']): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  // Keys that belong to what somebody types into are theirs.
  const { target } = event;
  if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return;
  if (event.key === 'Escape') onClose();
  else if (event.key === 'j') onStep(1);
  else if (event.key === 'k') onStep(-1);
  else return;
  // Whoever listens to the whole page must not do it a second time.
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Takes the focus when the panel was opened by keyboard, and gives it back when it closes: to the row that was shown last,
 * else to where it came from. A click leaves the focus where it is.
 */
function usePanelFocus(rowKey: string) {
  const panel = useRef<HTMLElement>(null);
  const lastKey = useRef(rowKey);
  useEffect(() => {
    lastKey.current = rowKey;
  }, [rowKey]);
  // A layout effect, because its end still finds the focus where it was: the panel is taken away after it.
  useLayoutEffect(() => {
    const element = panel.current;
    const opener = document.activeElement;
    if (opener instanceof HTMLElement && opener.matches(':focus-visible')) element?.focus();
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const row = document.querySelector(`[data-key="${CSS.escape(lastKey.current)}"]`);
      const place = row ?? opener;
      if (place instanceof HTMLElement && place.isConnected) place.focus();
    };
  }, []);
  return panel;
}
