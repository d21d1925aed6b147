import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { offsetWords, sizeWords } from '@/lib/client/payload-words';
import { hexAround } from '@/lib/domain/payload/hex-view';
import type { UnreadableText } from '@/lib/domain/payload/inspect';
import type { PayloadFault } from '@/lib/domain/payload/payload-reader';
import classes from './payload.module.css';
import own from './payload-fault.module.css';

/** Bytes that are no update: what is wrong, where, and what stands there. */
export function PayloadFaultView({ bytes, fault }: { bytes: Uint8Array; fault: PayloadFault }) {
  const read = fault.parts.at(-1);
  return (
    <div className={own.fault}>
      <div className={own.faultWords} role="alert">
        <Icon name="alert" />
        <p>
          <strong>
            This is no update: {fault.part}, {offsetWords(fault.offset)}.
          </strong>{' '}
          {fault.problem}
        </p>
      </div>
      <p className={classes.soft}>
        {sizeWords(bytes.length)} in all.{' '}
        {read === undefined
          ? 'Nothing could be read before that.'
          : `The last part that could be read is the ${read.name}, from byte ${read.offset}.`}
      </p>
      <HexView bytes={bytes} offset={fault.offset} />
    </div>
  );
}

/** The bytes around a place, which is marked; a table, so that it can be read without seeing it. */
function HexView({ bytes, offset }: { bytes: Uint8Array; offset: number }) {
  const rows = hexAround(bytes, offset);
  if (rows.length === 0) return null;
  return (
    <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
      <table className={own.hexView} aria-label={`Bytes around ${offsetWords(offset)}`}>
        <tbody>
          {rows.map((row) => (
            <tr key={row.offset}>
              <th scope="row">{row.offset.toString(16).padStart(4, '0')}</th>
              <td>
                {row.cells.map((cell, at) => {
                  const place = row.offset + at;
                  return cell.marked === 'yes' ? (
                    <mark key={place}>{cell.hex}</mark>
                  ) : (
                    <span key={place}>{cell.hex}</span>
                  );
                })}
              </td>
              <td className={classes.soft}>{row.cells.map(({ text }) => text).join('')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {offset < bytes.length ? null : (
        <p className={classes.soft}>The bytes end here: byte {bytes.length} would be the next.</p>
      )}
    </div>
  );
}

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

/** Characters shown on either side of the one that is wrong. */
const AROUND = 24;

/** Text that is no bytes: what is wrong, and the characters around that place. */
export function UnreadableTextView({ unreadable }: { unreadable: UnreadableText }) {
  const { text, problem, place } = unreadable;
  return (
    <div className={own.fault}>
      <div className={own.faultWords} role="alert">
        <Icon name="alert" />
        <p>
          <strong>
            This can’t be read
            {place === undefined ? '' : `: line ${place.line}, column ${place.column}`}.
          </strong>{' '}
          {problem}
        </p>
      </div>
      {place === undefined ? (
        <TextBeginning text={text} />
      ) : (
        <p className={own.excerpt}>
          <bdi className="foreign">
            {place.index > AROUND ? '…' : ''}
            {clipped(text.slice(Math.max(0, place.index - AROUND), place.index), AROUND)}
            <mark>{clipped(text.slice(place.index, place.index + 1), 1)}</mark>
            {clipped(text.slice(place.index + 1, place.index + 1 + AROUND), AROUND)}
            {place.index + 1 + AROUND < text.length ? '…' : ''}
          </bdi>
        </p>
      )}
    </div>
  );
}

function TextBeginning({ text }: { text: string }) {
  const beginning = text.slice(0, 200).trim();
  return beginning === '' ? null : (
    <p className={own.excerpt}>
      <bdi className="foreign">{clipped(beginning, 120)}</bdi>
    </p>
  );
}
