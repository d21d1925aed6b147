'use client';
import { Button } from '@mantine/core';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import { useNetworksOf } from '@/lib/client/networks';
import { pickRequest, type RequestLook } from '@/lib/client/request-lookup';
import { useMomentWords } from '@/lib/client/time-style';
import type { Network } from '@/lib/domain/network';
import { type AskedRequest, requestPath } from '@/lib/requests/request-address';
import { NetworksProvider, useNetwork } from './networks-context';
import { RequestChoices } from './request-choices';
import { RequestContent, RequestStanding } from './request-content';
import { CopyLink } from './request-copy-link';
import { useRequestLook } from './request-look';
import { RequestNotFound } from './request-not-found';
import classes from './request-page.module.css';
import { RequestTroubles } from './request-page-troubles';
import { RawJson } from './request-raw';
import { SectionHeadings } from './request-section';
import { RequestVersions } from './request-versions';
import { TableClockProvider } from './table-clock';

type Props = {
  asked: AskedRequest;
  /** What the server found while it rendered. */
  first: RequestLook;
  /** Names of all keepers; the first is the default. */
  keepers: readonly string[];
  /** At least the network that is asked for. */
  networks: readonly Network[];
};

/** The page of one request, or of what stands under its number. */
export function RequestPage({ asked, first, keepers, networks }: Props) {
  const { look, isFetching, refresh } = useRequestLook(asked, first, keepers);
  const known = useNetworksOf(networks, look.rows);
  return (
    <TableClockProvider renderedAtMs={first.atMs}>
      <NetworksProvider networks={known}>
        <SectionHeadings rank="h2">
          <article className={classes.page} aria-busy={isFetching}>
            <PageHead asked={asked} look={look} onRefresh={refresh} />
            <RequestTroubles look={look} keepers={keepers} onRetry={refresh} />
            <PageBody asked={asked} look={look} keepers={keepers} networks={known} />
          </article>
        </SectionHeadings>
      </NetworksProvider>
    </TableClockProvider>
  );
}

type Shown = { asked: AskedRequest; look: RequestLook };

function PageHead({ asked, look, onRefresh }: Shown & { onRefresh: () => void }) {
  const network = useNetwork(asked.networkId);
  const picked = pickRequest(look, asked);
  return (
    <header className={classes.head}>
      <h1 className={classes.title}>
        Request <span className="num">{groupDigitsBriefly(asked.sequence)}</span> on{' '}
        <bdi>{clipped(network.name, 60)}</bdi>
      </h1>
      <div className={classes.actions}>
        {look.troubles.length === 0 ? <AsOf ms={look.atMs} /> : null}
        <Button variant="default" size="xs" onClick={onRefresh}>
          Refresh
        </Button>
        {picked.kind === 'one' ? <CopyLink path={requestPath(picked.choice.row)} /> : null}
      </div>
    </header>
  );
}

function AsOf({ ms }: { ms: number }) {
  return <span className={classes.asOf}>As of {useMomentWords()(ms)}</span>;
}

function PageBody({
  asked,
  look,
  keepers,
  networks,
}: Shown & { keepers: readonly string[]; networks: readonly Network[] }) {
  const picked = pickRequest(look, asked);
  switch (picked.kind) {
    case 'none':
      return <RequestNotFound asked={asked} look={look} keepers={keepers} />;
    case 'several':
      return <RequestChoices choices={picked.choices} fit={picked.fit} />;
    case 'one': {
      const { row, olderVersions } = picked.choice;
      return (
        <>
          {picked.choices.length > 1 ? (
            <RequestChoices choices={picked.choices} fit="asked" shown={row} />
          ) : null}
          <RequestVersions choice={picked.choice} />
          <div>
            <RequestStanding record={row} />
            <RequestContent record={row} networks={networks} />
          </div>
          {olderVersions.map((version) => (
            <RawJson
              key={version.key}
              text={version.rawJson}
              title="The service lists this request once more, with this content"
            />
          ))}
        </>
      );
    }
  }
}
