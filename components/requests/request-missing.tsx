import classes from './request-content.module.css';

/** The service sent no value: said, because an empty place could also be a fault of ours. */
export function Missing({ what }: { what: string }) {
  return (
    <span className={classes.faint} title={`The service sent no ${what}`}>
      —<span className="sr-only">not given</span>
    </span>
  );
}
