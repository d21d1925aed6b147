'use client';
import { type ComponentType, useState } from 'react';
import { FilterButton, type FilterProps } from './filter-button';
import { noticeOnFailure } from './part-not-loaded';

/** The list is loaded with the first press, and opens then. */
export function FilterSelect(props: FilterProps) {
  const { label, choices, chosen } = props;
  const [part, setPart] = useState<{ List: ComponentType<FilterProps> }>();
  const load = async () =>
    setPart({ List: await noticeOnFailure(import('./filter-list').then(({ FilterList }) => FilterList)) });
  if (part !== undefined) return <part.List {...props} />;
  return (
    <FilterButton
      {...{ label, choices, chosen }}
      isOpen={false}
      onClick={() => void load()}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        void load();
      }}
    />
  );
}
