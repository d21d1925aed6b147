import type { ReactNode } from 'react';
import classes from './upgrade-tables.module.css';

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

/** A table of evidence under its heading. */
export function UpgradeTable({
  id,
  title,
  name,
  aside,
  columns,
  children,
}: {
  id: string;
  title: string;
  /** Names the table. */
  name: string;
  /** Beside the heading: what it shows, and what can be done with it. */
  aside: ReactNode;
  columns: readonly string[];
  /** Its rows. */
  children: ReactNode;
}) {
  return (
    <section className={classes.section} aria-labelledby={id}>
      <header className={classes.head}>
        <h3 id={id}>{title}</h3>
        {aside}
      </header>
      <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
        <table className={classes.table} aria-label={name}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
