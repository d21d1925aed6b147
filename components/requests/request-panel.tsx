'use client';
import Link from 'next/link';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Network } from '@/lib/domain/network';
import { requestPath } from '@/lib/requests/request-address';
import { NetworksProvider, useNetwork } from './networks-context';
import { RequestContent, RequestStanding, UnreadableContent } from './request-content';
import { CopyLink } from './request-copy-link';
import classes from './request-panel.module.css';
import { SectionHeadings } from './request-section';

type Props = {
  row: ListedRow;
  networks: readonly Network[];
  onClose: () => void;
  /** To the next or the previous row of the table. */
  onStep: (by: 1 | -1) => void;
};

/** One row beside the table, which stays in view and in use. `j` and `k` step, Escape closes. */
export function RequestPanel({ row, networks, onClose, onStep }: Props) {
  const panel = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  usePanelFocus(panel, row.key);
  useTopOfEachRow(body, row.key);
  return (
    <aside
      ref={panel}
      className={classes.panel}
      aria-label="Request"
      data-open-request={row.key}
      tabIndex={-1}
      onKeyDown={(event) => pressKey(event, onClose, onStep)}
    >
      <NetworksProvider networks={networks}>
        <SectionHeadings rank="h3">
          <PanelHead row={row} onClose={onClose} onStep={onStep} />
          <div ref={body} className={classes.body} data-scrolls="yes">
            {row.kind === 'record' ? (
              <div key={row.key}>
                <RequestStanding record={row} />
                <RequestContent record={row} networks={networks} />
              </div>
            ) : (
              <UnreadableContent row={row} />
            )}
          </div>
        </SectionHeadings>
      </NetworksProvider>
    </aside>
  );
}

function PanelHead({ row, onClose, onStep }: Omit<Props, 'networks'>) {
  return (
    <header className={classes.head}>
      <h2 className={classes.title}>
        {row.kind === 'record' ? (
          <RecordTitle networkId={row.networkId} sequence={row.sequence} />
        ) : (
          'Unreadable row'
        )}
      </h2>
      <div className={classes.actions}>
        {row.kind === 'record' ? (
          <>
            <Link className={classes.pageLink} href={requestPath(row)} prefetch={false}>
              Open page
            </Link>
            <CopyLink path={requestPath(row)} />
          </>
        ) : null}
        <button
          type="button"
          className={`icon-button ${classes.up}`}
          aria-label="Previous row"
          title="Previous row (k)"
          onClick={() => onStep(-1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Next row"
          title="Next row (j)"
          onClick={() => onStep(1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          title="Close (Escape)"
          onClick={onClose}
        >
          <Icon name="cross" />
        </button>
      </div>
    </header>
  );
}

function RecordTitle({ networkId, sequence }: { networkId: string; sequence: string }) {
  const network = useNetwork(networkId);
  const number = clipped(groupDigitsBriefly(sequence), 40);
  const name = clipped(network.name, 60);
  return (
    <span className={classes.words} title={`Request ${number} on ${name}`}>
      Request <span className="num">{number}</span> on <bdi>{name}</bdi>
    </span>
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
function usePanelFocus(panel: React.RefObject<HTMLElement | null>, rowKey: string): void {
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

/** Another row is read from its beginning. */
function useTopOfEachRow(body: React.RefObject<HTMLDivElement | null>, rowKey: string): void {
  useEffect(() => {
    if (rowKey !== '') body.current?.scrollTo({ top: 0 });
  }, [body, rowKey]);
}
