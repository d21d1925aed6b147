import { Button } from '@mantine/core';
import classes from './panel-notice.module.css';

/** Stands where the panel of a request will be, or says why there is none. */
export function PanelNotice({
  title,
  words,
  onClose,
}: {
  title: string;
  words: string;
  onClose?: () => void;
}) {
  return (
    <aside className={classes.panel} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <p>{words}</p>
      {onClose === undefined ? null : (
        <div>
          <Button onClick={onClose}>Close</Button>
        </div>
      )}
    </aside>
  );
}
