'use client';
import { ActionIcon, Anchor, Menu } from '@mantine/core';
import { announce } from '@/components/ui/announce';
import { Icon } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { boardOfFeeds, type FeedName, withFeeds } from '@/lib/feeds/board-url';
import { saveBoard, useNamedBoards } from '@/lib/feeds/client/named-boards';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { isPublished } from './symbol-names';

type Props = {
  symbols: readonly FeedSymbol[];
  /** Makes the button's label unique. */
  of: string;
  isIcon?: boolean;
};

export function AddToBoard({ symbols, of, isIcon }: Props) {
  const boards = useNamedBoards();
  // Feeds that only the router knows have no live prices.
  const feeds = symbols
    .filter(isPublished)
    .flatMap(({ feedId, symbol }): Pick<FeedName, 'id' | 'symbol'>[] =>
      feedId === undefined ? [] : [{ id: feedId, symbol }],
    );
  if (feeds.length === 0) return null;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        {isIcon ? (
          <ActionIcon c="var(--ks-accent)" aria-label={`Add to board: ${of}`} title="Add to board">
            <Icon name="plus" size={14} />
          </ActionIcon>
        ) : (
          <Anchor component="button" inherit underline="always" aria-label={`Add to board: ${of}`}>
            Add to board
          </Anchor>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {boards.map(({ name, url }) => {
          const next = withFeeds(url, feeds);
          const says = next === undefined ? ' (default board)' : next === url ? ' (added)' : '';
          return (
            <Menu.Item
              key={name}
              disabled={says !== ''}
              onClick={() => announce(saveBoard(name, next ?? url) ?? `Added to “${name}”`)}
            >
              <bdi>{name}</bdi>
              {says}
            </Menu.Item>
          );
        })}
        <Menu.Item component={Link} href={boardOfFeeds(feeds.map(({ id }) => id))}>
          Open as new board
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
