'use client';
import { cellText, gasShareText, type ListedRecord } from '@/lib/client/cell-text';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits, groupDigitsBriefly } from '@/lib/client/human-number';
import { formatAge, formatDuration } from '@/lib/client/human-time';
import { useMoment } from '@/lib/client/time-style';
import { requestDuration, type WireTime } from '@/lib/domain/request-record';
import type { ColumnId } from '@/lib/requests/columns';
import classes from './cells.module.css';
import { useNetwork } from './networks-context';
import { useTableClock } from './table-clock';

/**
 * What stands in the cells. As few elements as can be, since a page has tens of thousands of cells to draw: a plain value
 * is text in the cell itself, and a cell of which the service sent nothing is empty (its dash is in the style).
 */

type Props = { record: ListedRecord };

/** A known network by its name, any other by its id and whatever the keeper calls it. */
export function NetworkCell({ record }: Props) {
  const network = useNetwork(record.networkId);
  const keeperName = clipped(record.chainName, 60);
  const title = `Network id ${record.networkId}${keeperName === '' ? '' : `, called “${keeperName}” by the keeper`}`;
  if (network.known) {
    return (
      <bdi className={classes.network} title={title}>
        {clipped(network.name, 60)}
      </bdi>
    );
  }
  return (
    <>
      <bdi className={classes.network} title={title}>
        {record.networkId}
      </bdi>
      {keeperName === '' ? null : <bdi className={classes.keeperName}>{keeperName}</bdi>}
    </>
  );
}

/** To the second; every digit of the service on hover. */
export function MomentCell({ time }: { time: WireTime | undefined }) {
  return time === undefined ? null : <Moment time={time} />;
}

const DAY = /^\d{4}-\d\d-\d\d /;

function Moment({ time }: { time: WireTime }) {
  const { text, title, iso } = useMoment(time.ms, time.text);
  const day = DAY.exec(text)?.[0];
  return (
    <time dateTime={iso} title={title}>
      {day === undefined ? null : <span className={classes.day}>{day}</span>}
      {text.slice(day?.length ?? 0)}
    </time>
  );
}

function isFinished({ state }: ListedRecord): boolean {
  return state.kind === 'completed' || state.kind === 'failed';
}

/** How long a finished request took; how old any other one is, counting on. */
export function DurationCell({ record }: Props) {
  if (!isFinished(record)) return <Age record={record} />;
  const length = requestDuration(record, record.createdAt.ms);
  return length === undefined ? null : formatDuration(length.ms);
}

function Age({ record }: Props) {
  const length = requestDuration(record, useTableClock());
  return <span className={classes.age}>{formatAge(length?.ms ?? 0)}</span>;
}

/** The exact milliseconds behind a duration that is shown rounded; what an age is. */
export function durationTitle(record: ListedRecord): string | undefined {
  if (!isFinished(record)) return 'Age: no outcome is recorded yet';
  const ms = cellText(record, 'duration');
  return ms === undefined ? undefined : `${groupDigits(ms)} ms from creation to the last update`;
}

/** Digits in groups; what is absurdly long stays plain, and is cut by the cell. */
export function figure(id: ColumnId): (record: ListedRecord) => string | null {
  return (record) => {
    const digits = cellText(record, id);
    return digits === undefined ? null : groupDigitsBriefly(clipped(digits, 80));
  };
}

/** Percent with one decimal, rounded down. */
export function gasShareCell(record: ListedRecord): string | null {
  const percent = gasShareText(record);
  if (percent === undefined) return null;
  const [whole = '', decimals = ''] = percent.split('.');
  return `${groupDigitsBriefly(whole)}.${decimals.slice(0, 1)} %`;
}

/** The figures behind the share, and what of the gas the callback itself took. */
export function gasShareTitle(record: ListedRecord): string | undefined {
  const percent = gasShareText(record);
  const { state } = record;
  if (percent === undefined || state.kind !== 'completed') return undefined;
  const used = groupDigits(state.gasUsed ?? '');
  const callback =
    state.callbackGasUsed === undefined ? '' : `\nThe callback took ${groupDigits(state.callbackGasUsed)}`;
  return `${percent} %: ${used} gas used, limit ${groupDigits(record.gasLimit ?? '')}${callback}`;
}
