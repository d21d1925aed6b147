'use client';
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

/** `name` is the name for assistive technology, which is fuller than the content. */
type Props = { id: string; name: string; isOpen: boolean; onToggle: () => void; children: ReactNode };

/** `j` and `k` move from one button to the next. */
export function Opener({ id, name, isOpen, onToggle, children }: Props) {
  return (
    <Anchor
      component="button"
      ta="start"
      miw="7.5rem"
      data-opener=""
      data-key={id}
      aria-expanded={isOpen}
      aria-label={name}
      title={name}
      onClick={onToggle}
    >
      {children}
    </Anchor>
  );
}
