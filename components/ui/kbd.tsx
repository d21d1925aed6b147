import { Fragment } from 'react';
import classes from './kbd.module.css';

/** Keys to press, drawn as keys: `together`, or one `then` the other. */
export function Kbd({ names, join }: { names: readonly string[]; join: 'together' | 'then' }) {
  return (
    <span className={classes.keys}>
      {names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && join === 'then' ? <span className={classes.then}>then</span> : null}
          <kbd className={classes.key}>{name}</kbd>
        </Fragment>
      ))}
    </span>
  );
}
