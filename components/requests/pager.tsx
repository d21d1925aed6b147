'use client';
import { Pagination, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { useShortcut } from '@/components/ui/shortcuts';
import { groupDigits } from '@/lib/core/numbers';
import { PAGE_SIZES } from '@/lib/requests/view-params';
import classes from './summary.module.css';

type Props = {
  page: number;
  size: number;
  /** Undefined while it isn't known. */
  pages: number | undefined;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
};

/** Where one is among the pages. Stands there before the rows do, so that nothing moves when they come. */
export function Pager({ page, size, pages, onPage, onSize }: Props) {
  // A link may name a page that is no more: from there one goes back to the last one that is.
  const last = pages ?? page;
  const previous = page > 1 ? Math.min(page - 1, last) : undefined;
  const next = page < last ? page + 1 : undefined;
  useShortcut(previous === undefined ? undefined : '[', () => onPage(previous ?? 1));
  useShortcut(next === undefined ? undefined : ']', () => onPage(next ?? 1));
  return (
    <nav className={classes.pager} aria-label="Pages">
      <ChoiceSelect
        label="Rows per page"
        classNames={{ root: classes.size, label: classes.sizeLabel }}
        data={PAGE_SIZES.map(String)}
        value={String(size)}
        onChoose={(chosen) => onSize(Number(chosen))}
      />
      <span className={`${classes.place} num`}>
        Page {groupDigits(String(page))}
        {pages === undefined ? '' : ` of ${groupDigits(String(pages))}`}
      </span>
      {last > 7 ? <Jump key={page} last={last} onPage={onPage} /> : null}
      <Pagination.Root
        total={Math.max(last, 1)}
        value={Math.min(page, last)}
        siblings={1}
        size="sm"
        onChange={onPage}
        getItemProps={(number) => ({ 'aria-label': `Page ${groupDigits(String(number))}` })}
      >
        <span className={classes.pages}>
          <Pagination.Previous
            aria-label="Previous page"
            disabled={previous === undefined}
            onClick={() => previous !== undefined && onPage(previous)}
          />
          <span className={classes.numbers}>
            <Pagination.Items />
          </span>
          <Pagination.Next
            aria-label="Next page"
            disabled={next === undefined}
            onClick={() => next !== undefined && onPage(next)}
          />
        </span>
      </Pagination.Root>
    </nav>
  );
}

function Jump({ last, onPage }: { last: number; onPage: (page: number) => void }) {
  const [text, setText] = useState('');
  const page = Number(text.replaceAll(/[,\s]/g, ''));
  const isPage = Number.isInteger(page) && page >= 1 && page <= last;
  return (
    <TextInput
      aria-label="Go to page"
      placeholder="Go to page"
      inputMode="numeric"
      autoComplete="off"
      className={classes.jump}
      value={text}
      error={text !== '' && !isPage}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => (event.key === 'Enter' && isPage && text !== '' ? onPage(page) : undefined)}
    />
  );
}
