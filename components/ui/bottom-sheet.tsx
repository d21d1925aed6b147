'use client';
import { Drawer } from '@mantine/core';
import type { ComponentProps } from 'react';
import classes from './side-panel.module.css';

type Props = ComponentProps<typeof Drawer.Content> & { onClose: () => void };

/** Loaded with its first use, because a drawer takes 30 kB of script. */
export function BottomSheet({ onClose, ...content }: Props) {
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position="bottom"
      size="88dvh"
      classNames={{ content: classes.sheet }}
    >
      <Drawer.Overlay />
      <Drawer.Content {...content} />
    </Drawer.Root>
  );
}
