import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { clipped, shortened } from '@/lib/client/foreign-text';
import classes from './cells.module.css';

/**
 * A hash or an address: both ends of it, the whole on hover and for the clipboard, and the block explorer.
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
      <bdi className={classes.hexText} title={clipped(value, 200)}>
        {short}
      </bdi>
      <CopyButton value={value} label={`Copy ${what} ${short}`} />
      {explorerUrl === undefined ? null : (
        <a
          className={classes.explorer}
          href={explorerUrl}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Open ${what} ${short} in the block explorer`}
          title="Open in the block explorer"
        >
          <Icon name="external" size={13} />
        </a>
      )}
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
