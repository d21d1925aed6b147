'use client';
import { Divider, NavLink } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { NamedItem, NameForm } from '@/components/ui/named-items';
import { useTimeStyle } from '@/components/ui/time-style';
import { keptName, type NamedChange, type NamedUrl, withRenamed } from '@/lib/core/named-urls';
import { stuckAfterS as stuckAfter, useTriage } from '@/lib/pending/client';
import type { ColumnLayout } from '@/lib/requests/columns';
import {
  builtInViews,
  readSavedViews,
  savableView,
  VIEWS_KEY,
  viewOf,
  withView,
} from '@/lib/requests/saved-views';
import { useRequests } from './requests-context';

const NO_VIEWS: readonly NamedUrl[] = [];

/** Views that come along, those that this browser keeps, and a way to keep this one. */
export function SavedViews({ layout, onClose }: { layout: ColumnLayout; onClose: () => void }) {
  const { view, show } = useRequests();
  const { zone } = useTimeStyle();
  const [nowMs] = useState(Date.now);
  const stuckAfterS = stuckAfter(useTriage(undefined, 0));
  const [views, keep] = useLocalStorage<readonly NamedUrl[]>({
    key: VIEWS_KEY,
    defaultValue: NO_VIEWS,
    deserialize: readSavedViews,
    serialize: (value) => JSON.stringify(value),
  });
  const open = (chosen: NamedUrl | undefined) => {
    onClose();
    if (chosen !== undefined) show(() => viewOf(chosen), 'push');
  };
  /** Tells why not, if so. */
  const change = ({ problem, list: next }: NamedChange) => {
    if (next !== undefined) keep(next);
    return problem;
  };
  const isKnown = (text: string) => views.some(({ name }) => name === keptName(text));
  return (
    <>
      <ul>
        {builtInViews(nowMs, zone, stuckAfterS).map(({ name, says }, at) => (
          <li key={name}>
            {/* What is stuck is so at the moment of choosing, however long the menu has been open. */}
            <NavLink
              component="button"
              p={6}
              label={name}
              description={says}
              onClick={() => open(builtInViews(Date.now(), zone, stuckAfterS)[at])}
            />
          </li>
        ))}
      </ul>
      <Divider my={4} />
      {views.length === 0 ? null : (
        <>
          <ul aria-label="Saved views">
            {views.map((saved) => (
              <NamedItem
                key={saved.name}
                name={saved.name}
                url={saved.url}
                onOpen={() => open(saved)}
                onRename={(name) => change(withRenamed(views, saved.name, name))}
                onRemove={() => keep(views.filter(({ name }) => name !== saved.name))}
              />
            ))}
          </ul>
          <Divider my={4} />
        </>
      )}
      <NameForm
        label="Save this view as"
        verb={(text) => (isKnown(text) ? 'Replace' : 'Save')}
        onName={(name) => change(withView(views, name, savableView(view, layout)))}
      />
    </>
  );
}
