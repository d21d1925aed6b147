'use client';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { useInspectedUpdate } from '@/lib/client/inspected-update';
import { queryNow, setAddress } from '@/lib/client/use-address';
import {
  INSPECT_PARAM,
  INSPECTOR_ANCHOR,
  type InspectedUpdate,
  inspectLink,
  parseInspectUrl,
  inspectText as textOfInspected,
} from '@/lib/contract/codec/payload-link';
import { parseFeedId } from '@/lib/domain/feed';
import { type Inspection, inspectFile, inspectText } from '@/lib/domain/payload/inspect';
import type { UrlProblem } from '@/lib/domain/url-problem';
import { useFeedDirectory } from '@/lib/feeds/client/directory';
import classes from './payload.module.css';
import { type GivenPayload, PayloadInput } from './payload-input';
import { LinkedPayload } from './payload-linked';
import type { FeedNames } from './payload-messages';
import { PayloadResult } from './payload-result';

/** Symbols are short words; a directory may hold anything. */
const LONGEST_NAME = 80;

/** The first feed of most boards, to have something to look at. */
const EXAMPLE = parseFeedId('e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43');

/**
 * Takes a binary update apart: one that is pasted or dropped here, or the one that the address names (`inspectLink`), which is
 * fetched with its parsed form to compare. What is given here takes the address's word away, and the other way round.
 */
export function PayloadInspector() {
  const query = useSearchParams()?.toString() ?? '';
  const { inspected, problems } = useMemo(() => parseInspectUrl(new URLSearchParams(query)), [query]);
  const [given, setGiven] = useState<GivenPayload>();
  const names = useFeedNames(inspected !== undefined || given !== undefined ? 'wanted' : 'not yet');
  const shown = inspected === undefined ? given : undefined;
  // A megabyte is read and drawn when the browser has time for it, and not while somebody types.
  const taken = useDeferredValue(shown);
  const place = useLinkedPlace();
  const give = (next: GivenPayload | undefined) => {
    setGiven(next);
    leaveLink();
  };
  return (
    <section
      ref={place}
      id={INSPECTOR_ANCHOR}
      aria-labelledby="payload-inspector-title"
      className={classes.inspector}
      data-linked={inspected === undefined ? undefined : 'yes'}
    >
      <h2 id="payload-inspector-title" className={classes.title}>
        Payload inspector
      </h2>
      <p className={classes.lead}>
        Takes a signed price update apart: who signed it, whether its proofs hold, and every price in it.
      </p>
      <PayloadInput given={shown} onGive={give} />
      <AddressProblems problems={problems} />
      {inspected === undefined ? null : (
        <Linked
          key={textOfInspected(inspected)}
          asked={inspected}
          names={names}
          onLeave={() => give(undefined)}
        />
      )}
      {taken === undefined ? null : <Given given={taken} names={names} />}
      {inspected === undefined && shown === undefined ? <Examples /> : null}
    </section>
  );
}

function AddressProblems({ problems }: { problems: readonly UrlProblem[] }) {
  return problems.map(({ value, message }) => (
    <p key={value} role="alert" className={classes.verdict} data-tone="bad">
      <Icon name="alert" size={14} /> The address names no update. {message}
    </p>
  ));
}

/** The page was too short for it when the browser looked for the place that the address names. */
function useLinkedPlace() {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (window.location.hash === `#${INSPECTOR_ANCHOR}`) place.current?.scrollIntoView();
  }, []);
  return place;
}

/** Takes the payload out of the address, and leaves what else stands there. */
function leaveLink(): void {
  const params = queryNow();
  if (!params.has(INSPECT_PARAM)) return;
  params.delete(INSPECT_PARAM);
  const rest = params.toString();
  const { pathname, hash } = window.location;
  setAddress(`${pathname}${rest === '' ? '' : `?${rest}`}${hash}`, 'push');
}

function Linked({
  asked,
  names,
  onLeave,
}: {
  asked: InspectedUpdate;
  names: FeedNames;
  onLeave: () => void;
}) {
  const { answer, isAsking, again } = useInspectedUpdate(asked);
  return (
    <LinkedPayload
      asked={asked}
      answer={answer}
      asking={isAsking ? 'yes' : undefined}
      names={names}
      onAgain={again}
      onLeave={onLeave}
    />
  );
}

const inspections = new WeakMap<GivenPayload, Inspection>();

/** Each thing given is taken apart once, even where its drawing is begun several times. */
function inspectionOf(given: GivenPayload): Inspection {
  const known = inspections.get(given);
  if (known !== undefined) return known;
  const inspection = given.kind === 'text' ? inspectText(given.text) : inspectFile(given.bytes);
  inspections.set(given, inspection);
  return inspection;
}

function Given({ given, names }: { given: GivenPayload; names: FeedNames }) {
  return <PayloadResult inspection={inspectionOf(given)} names={names} />;
}

/** The symbols of feeds, once there is a payload. Without a directory ids are shown. */
function useFeedNames(demand: 'wanted' | 'not yet'): FeedNames {
  const { data } = useFeedDirectory(demand === 'wanted');
  return useMemo(
    () => new Map(data?.feeds.map(({ id, symbol }) => [id, clipped(symbol, LONGEST_NAME)])),
    [data],
  );
}

function Examples() {
  if (EXAMPLE === undefined) return null;
  return (
    <p className={classes.soft}>
      Nothing at hand? Look at the latest update of Crypto.BTC/USD from the{' '}
      <Link href={inspectLink('updates', 'latest', [EXAMPLE])}>price update service</Link> or its{' '}
      <Link href={inspectLink('upgraded', 'latest', [EXAMPLE])}>upgraded host</Link>.
    </p>
  );
}
