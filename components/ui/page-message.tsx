import type { ReactNode } from 'react';
import classes from './page-message.module.css';

/** A whole page that has only something to say: what happened, and where to go from here. */
export function PageMessage({
  title,
  text,
  detail,
  children,
}: {
  title: string;
  text: string;
  detail?: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes.message}>
      <h1 className={classes.title}>{title}</h1>
      <p className={classes.text}>{text}</p>
      {detail === undefined ? null : <p className={classes.detail}>{detail}</p>}
      <div className={classes.actions}>{children}</div>
    </div>
  );
}
