'use client';
import { Button } from '@mantine/core';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { groupDigits } from '@/lib/client/human-number';
import { useShortcut } from '@/lib/client/keyboard-hooks';
import { PAGE_SIZES } from '@/lib/requests/view-params';
import classes from './pager.module.css';

type Props = {
  page: number;
  size: number;
  /** Undefined while it isn't known. */
  pages: bigint | undefined;
  /** Undefined where there is no such page. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onSize: (size: number) => void;
};

/** Where one is among the pages. Stands there before the rows do, so that nothing moves when they come. */
export function Pager({ page, size, pages, onPrevious, onNext, onSize }: Props) {
  useShortcut(onPrevious && '[', () => onPrevious?.());
  useShortcut(onNext && ']', () => onNext?.());
  const of = pages === undefined ? '' : ` of ${groupDigits(String(pages))}`;
  return (
    <LiveControls>
      <div className={classes.pager}>
        <ChoiceSelect
          label="Rows per page"
          classNames={{ root: classes.size, label: classes.label }}
          data={PAGE_SIZES.map(String)}
          value={String(size)}
          onChoose={(size) => onSize(Number(size))}
        />
        <span className={`${classes.place} num`}>{`Page ${groupDigits(String(page))}${of}`}</span>
        <div className={classes.steps}>
          <Button
            aria-label="Previous page"
            leftSection={<Icon name="left" size={12} />}
            disabled={onPrevious === undefined}
            onClick={onPrevious}
          >
            Previous
          </Button>
          <Button
            aria-label="Next page"
            rightSection={<Icon name="right" size={12} />}
            disabled={onNext === undefined}
            onClick={onNext}
          >
            Next
          </Button>
        </div>
      </div>
    </LiveControls>
  );
}
