import { useId } from 'react';
import classes from './sort-field.module.css';

/** The order of a list. */
export function SortField<T extends string>({
  sorts,
  words,
  sort,
  onSort,
  className,
}: {
  sorts: readonly T[];
  words: Record<T, string>;
  sort: T;
  onSort: (sort: T) => void;
  className?: string | undefined;
}) {
  const id = useId();
  return (
    <div className={`${classes.field} ${className ?? ''}`}>
      <label htmlFor={id} className={classes.label}>
        Sort
      </label>
      <select
        id={id}
        className={classes.select}
        value={sort}
        onChange={(event) => {
          const chosen = sorts.find((one) => one === event.currentTarget.value);
          if (chosen !== undefined) onSort(chosen);
        }}
      >
        {sorts.map((one) => (
          <option key={one} value={one}>
            {words[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
