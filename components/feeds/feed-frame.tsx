'use client';
import { ActionIcon } from '@mantine/core';
import { Icon } from '@/components/ui/icons';
import classes from './board.module.css';

/** Handle for moving a tile or row, by dragging or with the arrow keys. */
export function GripButton({ name }: { name: string }) {
  return (
    <ActionIcon
      c="var(--ks-text-faint)"
      className={classes.grip}
      data-grip=""
      aria-label={`Arrange ${name}`}
      aria-describedby="board-keys"
      title="Drag, or press an arrow key"
    >
      <Icon name="grip" size={14} />
    </ActionIcon>
  );
}

export function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <ActionIcon
      c="var(--ks-text-faint)"
      data-removes=""
      aria-label={`Remove ${name}`}
      title="Remove from the board"
      onClick={(event) => {
        focusNeighbour(event.currentTarget);
        onRemove();
      }}
    >
      <Icon name="close" size={13} />
    </ActionIcon>
  );
}

/** The class is fainter and is cut first, because readers look for the pair. */
export function PairName({ name }: { name: string }) {
  const dot = name.indexOf('.') + 1;
  return (
    <bdi className={classes.name}>
      {dot === 0 ? null : (
        <span data-class="" className={classes.group}>
          {name.slice(0, dot)}
        </span>
      )}
      <span>{name.slice(dot)}</span>
    </bdi>
  );
}

/** Moves the focus from a button that is being removed to the same button of the next card, or of the previous one. */
function focusNeighbour(button: HTMLElement): void {
  const card = button.closest('[data-tile]');
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  neighbour?.querySelector<HTMLElement>('button[data-removes]')?.focus({ preventScroll: true });
}
