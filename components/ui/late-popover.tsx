'use client';
import dynamic from 'next/dynamic';
import { type ComponentProps, useId, useRef, useState } from 'react';
import { noticeOnFailure } from './part-not-loaded';
import type { Props as PopoverProps } from './popover-below';
import { SmallButton } from './text';

const PopoverBelow = dynamic(
  () => noticeOnFailure(import('./popover-below').then((part) => part.PopoverBelow)),
  { ssr: false },
);

type Props = Omit<PopoverProps, 'id' | 'button'> & { buttonProps: ComponentProps<typeof SmallButton> };

/** The popover's script is loaded with the first press, because positioning takes 25 kB. */
export function LatePopover({ buttonProps, opened, onChange, ...popover }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  if (opened && !isUsed) setUsed(true);
  return (
    <>
      <SmallButton
        ref={button}
        id={id}
        aria-haspopup="dialog"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-dropdown` : undefined}
        onClick={() => onChange(!opened)}
        {...buttonProps}
      />
      {isUsed && <PopoverBelow {...popover} {...{ id, button, opened, onChange }} />}
    </>
  );
}
