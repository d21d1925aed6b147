'use client';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits, groupDigitsBriefly } from '@/lib/client/human-number';
import { formatAge, formatDuration } from '@/lib/client/human-time';
import { explorerAddressUrl, explorerTxUrl } from '@/lib/domain/network';
import { type RequestRecord, requestDuration } from '@/lib/domain/request-record';
import { formatUtcSeconds, unixMillis } from '@/lib/domain/units';
import classes from './cells.module.css';
import { HexCell, Missing } from './hex-cell';
import { useNetwork } from './networks-context';
import { useTableClock } from './table-clock';

type Props = { record: RequestRecord };

/** A known network by its name, any other by its id and whatever the keeper calls it. */
export function NetworkCell({ record }: Props) {
  const network = useNetwork(record.networkId);
  const keeperName = clipped(record.chainName, 60);
  const title = `Network id ${record.networkId}${keeperName === '' ? '' : `, called “${keeperName}” by the keeper`}`;
  return (
    <span className={classes.network} title={title}>
      <bdi className={network.known ? classes.networkName : classes.networkId}>
        {network.known ? clipped(network.name, 60) : record.networkId}
      </bdi>
      {network.known || keeperName === '' ? null : <bdi className={classes.keeperName}>{keeperName}</bdi>}
    </span>
  );
}

/** To the second, in UTC; the text of the service, down to its last digit, on hover. */
export function CreatedCell({ record }: Props) {
  const [day, clock] = formatUtcSeconds(unixMillis(record.createdAt.ms)).split(' ');
  return (
    <time className={classes.created} dateTime={record.createdAt.text} title={record.createdAt.text}>
      <span className={classes.day}>{day}</span> {clock}
    </time>
  );
}

function AgeText({ record }: Props) {
  const nowMs = useTableClock();
  const length = requestDuration(record, nowMs);
  return length === undefined ? null : formatAge(length.ms);
}

/** How long a finished request took; how old any other one is, counting on. */
export function DurationCell({ record }: Props) {
  const finished = record.state.kind === 'completed' || record.state.kind === 'failed';
  if (!finished) {
    return (
      <span className={classes.age} title="Age: no outcome is recorded yet">
        <AgeText record={record} />
      </span>
    );
  }
  const length = requestDuration(record, record.createdAt.ms);
  if (length === undefined) return <Missing what="time of the last update" />;
  return (
    <span title={`${groupDigits(String(length.ms))} ms from creation to the last update`}>
      {formatDuration(length.ms)}
    </span>
  );
}

export function SenderCell({ record }: Props) {
  const network = useNetwork(record.networkId);
  return (
    <HexCell value={record.sender} what="sender" explorerUrl={explorerAddressUrl(network, record.sender)} />
  );
}

export function TransactionCell({ record }: Props) {
  const network = useNetwork(record.networkId);
  return (
    <HexCell
      value={record.requestTxHash}
      what="request transaction"
      explorerUrl={explorerTxUrl(network, record.requestTxHash)}
    />
  );
}

export function GasLimitCell({ record }: Props) {
  if (record.gasLimit === undefined) return <Missing what="gas limit" />;
  return <span title={record.gasLimit}>{groupDigitsBriefly(record.gasLimit)}</span>;
}
