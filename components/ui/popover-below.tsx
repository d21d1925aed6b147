'use client';
import { Popover } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type ComponentProps, type ReactNode, type RefObject, useLayoutEffect } from 'react';
import { POPOVER } from './theme';

export type Props = Pick<ComponentProps<typeof Popover>, 'position' | 'width'> & {
  /** The button, whose text names the popover. */
  id: string;
  button: RefObject<HTMLElement | null>;
  opened: boolean;
  onChange: (opened: boolean) => void;
  className?: string | undefined;
  children: ReactNode;
};

/** A popover of a button that is on the page before this script is loaded. */
export function PopoverBelow({ button, opened, className, children, ...popover }: Props) {
  // Mantine remembers the focus when `opened` becomes true, so the first render must be closed.
  const mounted = useMounted();
  return (
    <Popover {...POPOVER} {...popover} opened={opened && mounted} keepMounted={false}>
      <Popover.Target refProp="targetRef">
        <ExistingTarget element={button} />
      </Popover.Target>
      <Popover.Dropdown className={className}>{children}</Popover.Dropdown>
    </Popover>
  );
}

type TargetProps = { element: Props['button']; targetRef?: (element: HTMLElement | null) => void };

function ExistingTarget({ element, targetRef }: TargetProps) {
  useLayoutEffect(() => {
    targetRef?.(element.current);
    return () => targetRef?.(null);
  }, [element, targetRef]);
  return null;
}
