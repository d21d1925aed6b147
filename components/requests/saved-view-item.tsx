'use client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { LONGEST_NAME, type SavedView } from '@/lib/client/saved-views';
import classes from './saved-views.module.css';

type Props = {
  saved: SavedView;
  onShow: () => void;
  /** Tells why not, if so. */
  onRename: (name: string) => string | undefined;
  onRemove: () => void;
};

function RenameForm({ saved, onRename, onEnd }: Pick<Props, 'saved' | 'onRename'> & { onEnd: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  useEffect(() => field.current?.select(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const refusal = onRename(field.current?.value ?? '');
    setProblem(refusal);
    if (refusal === undefined) onEnd();
  };
  return (
    <form className={classes.rename} onSubmit={submit}>
      <input
        ref={field}
        className="small-field"
        aria-label={`New name of ${saved.name}`}
        aria-invalid={problem !== undefined}
        defaultValue={saved.name}
        maxLength={LONGEST_NAME}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Only the renaming ends, not the menu.
          event.preventDefault();
          onEnd();
        }}
      />
      <button type="submit" className="small-button">
        Rename
      </button>
      {problem === undefined ? null : (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}

/** One saved view: open it, copy its link, give it another name, delete it. */
export function SavedViewItem({ saved, onShow, onRename, onRemove }: Props) {
  const [standing, setStanding] = useState<'listed' | 'renaming'>('listed');
  const name = clipped(saved.name, LONGEST_NAME);
  if (standing === 'renaming') {
    return (
      <li>
        <RenameForm saved={saved} onRename={onRename} onEnd={() => setStanding('listed')} />
      </li>
    );
  }
  return (
    <li className={classes.saved}>
      <button type="button" className={classes.open} onClick={onShow}>
        <bdi className={classes.name}>{name}</bdi>
      </button>
      <CopyButton value={`${window.location.origin}${saved.url}`} label={`Copy the link of ${name}`} />
      <button
        type="button"
        className="small-button"
        aria-label={`Rename ${name}`}
        onClick={() => setStanding('renaming')}
      >
        Rename
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete ${name}`}
        title="Delete"
        onClick={onRemove}
      >
        <Icon name="close" size={13} />
      </button>
    </li>
  );
}
