'use client';
import { NativeSelect, Pagination, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useShortcut } from '@/components/ui/shortcuts';
import { groupDigits } from '@/lib/core/numbers';
import { asNewList } from '@/lib/requests/filters';
import { PAGE_SIZES } from '@/lib/requests/view';
import { useRequests } from './requests-context';

export type PagerProps = { pages: number | undefined; onPage: (page: number) => void };

export function PagerControls({ pages, onPage }: PagerProps) {
  const { view, show } = useRequests();
  // A URL may name a page beyond the last; "Previous" then leads to the last page.
  const last = pages ?? view.page;
  const page = Math.min(view.page, last);
  const previous = view.page > 1 ? Math.min(view.page - 1, last) : undefined;
  const next = view.page < last ? view.page + 1 : undefined;
  useShortcut(previous === undefined ? undefined : '[', () => onPage(previous ?? 1));
  useShortcut(next === undefined ? undefined : ']', () => onPage(next ?? 1));
  return (
    <>
      <NativeSelect
        autoComplete="off"
        label="Rows per page"
        styles={{ root: { display: 'flex', alignItems: 'center', gap: 8 } }}
        data={PAGE_SIZES.map(String)}
        value={String(view.size)}
        onChange={({ currentTarget: { value } }) =>
          show((now) => asNewList(now, { size: Number(value) }), 'push')
        }
      />
      <Text miw="8rem" ml="auto" ta="end" className="num">
        {view.page > last ? 'No such page; the last is' : 'Page'} {groupDigits(String(page))}
        {pages === undefined || view.page > last ? '' : ` of ${groupDigits(String(pages))}`}
      </Text>
      {last > 7 ? <Jump key={page} last={last} onPage={onPage} /> : null}
      <Pagination
        total={Math.max(last, 1)}
        value={page}
        size="sm"
        gap={4}
        onChange={onPage}
        getItemProps={(number) => ({ 'aria-label': `Page ${groupDigits(String(number))}` })}
        getControlProps={(control) => ({ 'aria-label': control === 'next' ? 'Next page' : 'Previous page' })}
      />
    </>
  );
}

function Jump({ last, onPage }: { last: number; onPage: (page: number) => void }) {
  const [text, setText] = useState('');
  const page = Number(text.replaceAll(/[,\s]/g, ''));
  const isPage = text !== '' && Number.isInteger(page) && page >= 1 && page <= last;
  return (
    <TextInput
      aria-label="Go to page"
      placeholder="Go to page"
      inputMode="numeric"
      w="6.5rem"
      value={text}
      error={text !== '' && !isPage}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => (event.key === 'Enter' && isPage ? onPage(page) : undefined)}
    />
  );
}
