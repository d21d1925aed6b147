'use client';
import { Icon } from '@/components/ui/icons';
import { closeDialogOf, ModalDialog } from '@/components/ui/modal-dialog';
import { useAlertBook } from '@/lib/client/alert-of-browser';
import { feedShortName } from '@/lib/client/alert-words';
import type { FeedName } from '@/lib/client/feed-directory';
import { useFeed } from '@/lib/client/feed-hooks';
import { formatScaled } from '@/lib/domain/scaled-number';
import classes from './alert.module.css';
import { AlertForm } from './alert-form';
import { AlertItems } from './alert-list';
import { AlertSaying } from './alert-saying';

/** The alerts of one feed, and a form for another one. */
export default function AlertDialog({ feed, onClose }: { feed: FeedName; onClose: () => void }) {
  const { latest } = useFeed(feed.id);
  const { book } = useAlertBook();
  const own = book.alerts.filter(({ feedId }) => feedId === feed.id);
  const price =
    latest === undefined ? undefined : formatScaled({ mantissa: BigInt(latest.p), expo: latest.e });
  const label = `Alerts for ${feedShortName(feed)}`;
  return (
    <ModalDialog label={label} width="30rem" onClose={onClose}>
      <div className={classes.content}>
        <header className={classes.head}>
          <h2 className={classes.title}>
            <bdi>{label}</bdi>
          </h2>
          <button
            type="button"
            className="icon-button"
            aria-label="Close"
            onClick={(event) => closeDialogOf(event.currentTarget)}
          >
            <Icon name="close" />
          </button>
        </header>
        <AlertForm feed={{ feedId: feed.id, symbol: feed.symbol }} price={price} />
        {own.length === 0 ? null : <AlertItems label="Alerts of this feed" alerts={own} naming="condition" />}
        <AlertSaying />
      </div>
    </ModalDialog>
  );
}
