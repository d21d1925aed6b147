'use client';
import Link from 'next/link';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import { keepersAsked, type RequestLook } from '@/lib/client/request-lookup';
import { type AskedRequest, askedPath } from '@/lib/requests/request-address';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { useNetwork } from './networks-context';
import { UnreadableContent } from './request-content';
import classes from './request-content.module.css';
import { Section } from './request-section';

type Props = { asked: AskedRequest; look: RequestLook; keepers: readonly string[] };

/** Nothing stands under the number, as far as every keeper that answered says; failures are told elsewhere. */
export function RequestNotFound({ asked, look, keepers }: Props) {
  const failing = look.troubles.map(({ keeper }) => keeper);
  const answered = keepersAsked(asked, keepers).filter((keeper) => !failing.includes(keeper));
  const searched = answered.filter((keeper) => !look.unserved.includes(keeper));
  if (answered.length === 0) return <OtherWays asked={asked} keepers={keepers} title="Other ways to look" />;
  return (
    <>
      <Section title="No such request">
        {searched.length > 0 ? <NoneOfNumber asked={asked} searched={searched} /> : null}
        {look.unserved.map((keeper) => (
          <Unserved key={keeper} asked={asked} keeper={keeper} />
        ))}
      </Section>
      {look.unreadable.map((row) =>
        row.kind === 'unreadable' ? <UnreadableContent key={row.key} row={row} /> : null,
      )}
      <OtherWays asked={asked} keepers={keepers} title="Look elsewhere" />
    </>
  );
}

function NoneOfNumber({ asked, searched }: { asked: AskedRequest; searched: readonly string[] }) {
  const network = useNetwork(asked.networkId);
  return (
    <p>
      The log of keeper <bdi>{searched.map((keeper) => clipped(keeper, 60)).join(' and ')}</bdi> has no
      request with the number <span className="num">{groupDigitsBriefly(asked.sequence)}</span> on{' '}
      <bdi>{clipped(network.name, 60)}</bdi> (network id {asked.networkId}). A keeper lists a request some
      blocks after it was made.
    </p>
  );
}

function Unserved({ asked, keeper }: { asked: AskedRequest; keeper: string }) {
  return (
    <p>
      Keeper <bdi>{clipped(keeper, 60)}</bdi> does not serve the network {asked.networkId}.
    </p>
  );
}

/** The number on all networks, and the same address at the other keepers. */
function OtherWays({
  asked,
  keepers,
  title,
}: {
  asked: AskedRequest;
  keepers: readonly string[];
  title: string;
}) {
  const mine = keepersAsked(asked, keepers);
  const others = keepers.filter((keeper) => !mine.includes(keeper));
  const everywhere = formatRequestsUrl({
    ...defaultRequestsView(),
    q: asked.sequence,
    time: { kind: 'all' },
    keepers: keepers.length > 1 ? [...keepers] : [],
  });
  return (
    <Section title={title}>
      <ul className={classes.ways}>
        <li>
          <Link href={everywhere} prefetch={false}>
            Search for {groupDigitsBriefly(asked.sequence)} in all networks
          </Link>
        </li>
        {others.map((keeper) => (
          <li key={keeper}>
            <Link href={askedPath({ ...asked, keepers: [keeper] })} prefetch={false}>
              Ask keeper <bdi>{clipped(keeper, 60)}</bdi> for it
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
