import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { Network } from '@/lib/domain/network';
import type { AskedRequest } from '@/lib/requests/request-address';
import classes from './request-page.module.css';

/** What stands where the request will be while the service is waited for. */
export function RequestPageSkeleton({
  asked,
  networks,
}: {
  asked: AskedRequest;
  networks: readonly Network[];
}) {
  return (
    <article className={classes.page} aria-busy="true">
      <h1 className={classes.title}>
        Request <span className="num">{groupDigitsBriefly(asked.sequence)}</span> on{' '}
        <bdi>{clipped(networks[0]?.name ?? asked.networkId, 60)}</bdi>
      </h1>
      <p>The log service is asked…</p>
    </article>
  );
}
