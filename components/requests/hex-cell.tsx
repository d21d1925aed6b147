import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { clipped, shortened } from '@/lib/client/foreign-text';
import classes from './cells.module.css';

/**
 * A hash or an address: both ends of it, a link where the block explorer is known, the whole on hover and for the clipboard.
 * `what` names it for assistive technology. `explorerUrl` is given only for a well-formed value.
 */
export function HexCell({
  value,
  what,
  explorerUrl,
}: {
  value: string | undefined;
  what: string;
  explorerUrl: string | undefined;
}) {
  if (value === undefined) return <Missing what={what} />;
  const short = shortened(value);
  return (
    <span className={classes.hex}>
      {explorerUrl === undefined ? (
        <bdi className={classes.hexText} title={clipped(value, 200)}>
          {short}
        </bdi>
      ) : (
        <a
          className={classes.explorer}
          href={explorerUrl}
          target="_blank"
          rel="noreferrer noopener"
          title={`${value}\nOpens in the block explorer`}
        >
          <bdi className={classes.hexText}>{short}</bdi>
          <Icon name="external" size={11} />
          <span className="sr-only">, {what}, in the block explorer</span>
        </a>
      )}
      <CopyButton value={value} label={`Copy ${what} ${short}`} />
    </span>
  );
}

/** The service sent no value: said, because an empty cell could also be a fault of ours. */
export function Missing({ what }: { what: string }) {
  return (
    <span className={classes.missing} title={`The service sent no ${what}`}>
      —<span className="sr-only">not given</span>
    </span>
  );
}
