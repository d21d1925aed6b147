'use client';
import { ActionIcon, Drawer, Group, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import Link from 'next/link';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { Icon } from '@/components/ui/icons';
import type { Network } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import type { ListedRow } from '@/lib/requests/answers';
import { askedOfKey, NOTHING_RELATED, requestPath } from '@/lib/requests/request-address';
import classes from './request.module.css';
import { RequestDetails, UnreadableDetails } from './request-details';
import { CopyLink, SectionHeadings } from './request-parts';
import { NetworksProvider, useNetwork } from './requests-context';
import { useOneRequest } from './use-one-request';

type Props = {
  row: ListedRow;
  networks: readonly Network[];
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
};

const PHONE = '(max-width: 48em)';

/**
 * One row beside the table, which stays in view and in use; on a phone a sheet from below. `j` and `k` step, Escape closes.
 */
export function RequestPanel({ row, networks, onClose, onStep }: Props) {
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const content = (
    <NetworksProvider networks={networks}>
      <SectionHeadings value={3}>
        <PanelHead row={row} onClose={onClose} onStep={onStep} />
        <PanelBody row={row} networks={networks} />
      </SectionHeadings>
    </NetworksProvider>
  );
  return isPhone ? (
    <Sheet row={row} onClose={onClose} onStep={onStep}>
      {content}
    </Sheet>
  ) : (
    <Aside row={row} onClose={onClose} onStep={onStep}>
      {content}
    </Aside>
  );
}

type Around = Omit<Props, 'networks'> & { children: ReactNode };

function Aside({ row, onClose, onStep, children }: Around) {
  const panel = useRef<HTMLElement>(null);
  usePanelFocus(panel, row.key);
  return (
    <aside
      ref={panel}
      className={classes.panel}
      aria-label="Request"
      data-open-request={row.key}
      tabIndex={-1}
      onKeyDown={(event) => pressKey(event, onClose, onStep)}
    >
      {children}
    </aside>
  );
}

function Sheet({ row, onClose, onStep, children }: Around) {
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position="bottom"
      size="88dvh"
      classNames={{ content: classes.sheet }}
    >
      <Drawer.Overlay />
      <Drawer.Content
        aria-label="Request"
        data-open-request={row.key}
        onKeyDown={(event: KeyboardEvent) => pressKey(event, onClose, onStep)}
      >
        {children}
      </Drawer.Content>
    </Drawer.Root>
  );
}

function PanelBody({ row, networks }: Pick<Props, 'row' | 'networks'>) {
  const body = useRef<HTMLDivElement>(null);
  const { one } = useOneRequest(row.kind === 'record' ? askedOfKey(row.key) : undefined);
  // A table that stands still may show it pending when its outcome is known.
  const latest = one?.rows.find((found) => found.key === row.key);
  const record = row.kind === 'record' && row.state.kind === 'pending' ? (latest ?? row) : row;
  // Another row is read from its beginning.
  useEffect(() => {
    if (row.key !== '') body.current?.scrollTo({ top: 0 });
  }, [row.key]);
  return (
    <div ref={body} className={classes.panelBody} data-scrolls="yes">
      {record.kind === 'record' ? (
        <RequestDetails
          key={row.key}
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
  return (
    <Group className={classes.panelHead} gap="xs" wrap="nowrap" justify="space-between">
      <RowTitle row={row} />
      <Group gap={4} wrap="nowrap">
        {row.kind === 'record' ? (
          <>
            <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
              <Link href={requestPath(row)} prefetch={false}>
                Open page
              </Link>
            </Text>
            <CopyLink path={requestPath(row)} />
          </>
        ) : null}
        <ActionIcon aria-label="Previous row" title="Previous row (k)" onClick={() => onStep(-1)}>
          ↑
        </ActionIcon>
        <ActionIcon aria-label="Next row" title="Next row (j)" onClick={() => onStep(1)}>
          ↓
        </ActionIcon>
        <ActionIcon aria-label="Close" title="Close (Escape)" onClick={onClose}>
          <Icon name="cross" />
        </ActionIcon>
      </Group>
    </Group>
  );
}

/** As high for a long title as for a short one: stepping from row to row must not move what is read. */
function RowTitle({ row }: Pick<Props, 'row'>) {
  const network = useNetwork(row.kind === 'record' ? row.networkId : '');
  const sequence = row.kind === 'record' ? clipped(row.sequence, 40) : '';
  const name = clipped(network.name, 60);
  return (
    <Title order={2} lineClamp={2} lh={1.25}>
      {row.kind === 'record' ? (
        <span title={`${sequence} on ${name}`}>
          <span className="num">{sequence}</span> on <bdi>{name}</bdi>
        </span>
      ) : (
        'Unreadable row'
      )}
    </Title>
  );
}

/** Keys that belong to what somebody types into are theirs. */
function isTyping(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function pressKey(event: KeyboardEvent, onClose: Props['onClose'], onStep: Props['onStep']): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target)) return;
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
function usePanelFocus(panel: RefObject<HTMLElement | null>, rowKey: string): void {
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
      if (element === null || !element.contains(document.activeElement)) return;
      const row = document.querySelector(`[data-key="${CSS.escape(lastKey.current)}"]`);
      for (const place of [row, opener]) {
        if (!(place instanceof HTMLElement) || !place.isConnected) continue;
        place.focus();
        if (document.activeElement === place) return;
      }
    };
  }, [panel]);
}
