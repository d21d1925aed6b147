'use client';
import { useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import classes from './services.module.css';

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/**
 * A part of the page that is loaded when its link is followed: by its name behind the `#`, or by a parameter that is for
 * it. It stays open from then on. `children` brings a section with this id and title of its own.
 */
export function PartOnDemand({
  id,
  title,
  lead,
  params,
  children,
}: {
  id: string;
  title: string;
  lead: string;
  params: readonly string[];
  children: ReactNode;
}) {
  const search = useSearchParams();
  const hash = useSyncExternalStore(
    onHashChange,
    () => window.location.hash,
    () => '',
  );
  const isAsked = hash === `#${id}` || params.some((name) => search?.has(name));
  const [wasAsked, setWasAsked] = useState<'pressed' | 'linked'>();
  if (isAsked && wasAsked === undefined) setWasAsked('linked');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The link that was pressed is gone with what it stood in.
    if (wasAsked === 'pressed') place.current?.focus({ preventScroll: true });
  }, [wasAsked]);
  return (
    <div ref={place} tabIndex={-1} className={classes.place}>
      {wasAsked === undefined ? (
        <section id={id} aria-labelledby={`${id}-title`} className={classes.closed}>
          <h2 id={`${id}-title`} className={classes.title}>
            {title}
          </h2>
          <p className={classes.lead}>{lead}</p>
          <p>
            <a href={`#${id}`} onClick={() => setWasAsked('pressed')}>
              Open the {title.toLowerCase()}
            </a>
          </p>
        </section>
      ) : (
        children
      )}
    </div>
  );
}
