'use client';
import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { PopoverButton } from '@/components/ui/popover-button';
import type { FacetChoice } from './facet-choices';
import classes from './filters.module.css';

const FacetChoices = dynamic(
  () => orNotice(import('./facet-choices').then((module) => module.FacetChoices)),
  {
    ssr: false,
    loading: () => null,
  },
);

/** What the control of one value shows while several are chosen; no network, state or keeper is called so. */
export const SEVERAL = '+';

/** A control for one value, and beside it a button for several, with what the service counts for each of them. */
export function SeveralFilter({
  name,
  children,
  ...choice
}: FacetChoice & {
  /** `Choose several states` */
  name: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.pair} data-facet={choice.of}>
      {children}
      <PopoverButton
        name={name}
        look="icon"
        mark={choice.chosen.length > 1 ? 'active' : 'idle'}
        face={<Icon name="ticks" />}
      >
        <FacetChoices {...choice} />
      </PopoverButton>
    </div>
  );
}
