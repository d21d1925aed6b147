import { useEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import type { FeedName } from '@/lib/client/feed-directory';
import classes from './feed-chooser.module.css';

/** One feed in the chooser's list. The focus stays in the field; `pointer` says where the arrows are. */
export function FeedOption({
  id,
  feed,
  standing,
  pointer,
  onPoint,
  onToggle,
}: {
  id: string;
  feed: FeedName;
  standing: 'chosen' | 'offered';
  pointer: 'active' | 'elsewhere';
  onPoint: () => void;
  onToggle: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pointer === 'active') {
      element.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [pointer]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={standing === 'chosen'}
      data-pointer={pointer}
      className={classes.option}
      // The press would take the focus out of the field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onPoint}
      onClick={onToggle}
      onKeyDown={() => undefined}
    >
      <span className={classes.mark}>{standing === 'chosen' ? <Icon name="check" size={14} /> : null}</span>
      <span className={classes.name}>
        <bdi className={classes.symbol}>{feed.symbol}</bdi>
        {feed.description === undefined ? null : (
          <bdi className={classes.description}>{feed.description}</bdi>
        )}
      </span>
      <span className={classes.kind}>{feed.assetType}</span>
    </div>
  );
}
