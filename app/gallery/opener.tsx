'use client';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** A modal window stands there alone: it opens on demand. `children` make it, given what closes it. */
export function Opener({ name, children }: { name: string; children: (close: () => void) => ReactNode }) {
  const [standing, setStanding] = useState<'open' | 'closed'>('closed');
  return (
    <>
      <Button size="compact-sm" aria-haspopup="dialog" onClick={() => setStanding('open')}>
        {name}
      </Button>
      {standing === 'open' ? children(() => setStanding('closed')) : null}
    </>
  );
}
