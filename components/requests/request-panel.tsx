'use client';
import { ActionIcon, Group, Title } from '@mantine/core';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { NetworksProvider, useNetwork } from '@/components/ui/networks';
import { SidePanel } from '@/components/ui/side-panel';
import type { Network } from '@/lib/core/network';
import { clipped } from '@/lib/core/text';
import { locatorOfKey, NOTHING_RELATED, requestPath } from '@/lib/requests/request-address';
import type { ListedRow } from '@/lib/requests/requests-response';
import classes from './request.module.css';
import { RequestDetails, UnreadableDetails } from './request-details';
import { CopyLink, SectionHeadings } from './request-parts';
import { NetworkName } from './requests-context';
import { useRequest } from './use-request';

type Props = {
  row: ListedRow;
  networks: readonly Network[];
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
};

/** A request beside the table; on a phone a bottom sheet. `j` and `k` step through rows. */
export function RequestPanel({ networks, ...props }: Props) {
  const { row, onClose, onStep } = props;
  return (
    <SidePanel
      label="Request"
      narrow="(max-width: 48em)"
      className={classes.panel}
      rowKey={row.key}
      data-open-request={row.key}
      {...{ onClose, onStep }}
    >
      <NetworksProvider networks={networks}>
        <SectionHeadings value={3}>
          <PanelHead {...props} />
          <PanelBody key={row.key} row={row} networks={networks} />
        </SectionHeadings>
      </NetworksProvider>
    </SidePanel>
  );
}

function PanelBody({ row, networks }: Pick<Props, 'row' | 'networks'>) {
  const { answer } = useRequest(row.kind === 'record' ? locatorOfKey(row.key) : undefined);
  // Newer than the row of a table without live updates, or of a search.
  const record = answer?.rows.find((candidate) => candidate.key === row.key) ?? row;
  return (
    <div className={classes.panelBody} data-scrolls="yes">
      {record.kind === 'record' ? (
        <RequestDetails
          record={record}
          related={answer === undefined ? undefined : (answer.related ?? NOTHING_RELATED)}
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
      {/* At most two lines, so that stepping through rows does not move the content. */}
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
            <Link href={requestPath(row)} style={{ whiteSpace: 'nowrap' }}>
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
