'use client';
import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Somebody who steps from row to row shows a part for an instant: that is not worth a question yet. */
const SETTLE_MS = 200;
/** Close enough to what is in sight to be looked at next, so that what comes moves nothing that is seen. */
const MARGIN = '1000px';

/** Shows its children from the moment it is nearly in sight, and stays so. Until then `before` stands there. */
export function OnceSeen({ before, children }: { before: ReactNode; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<'yes'>();
  useEffect(() => {
    const element = place.current;
    if (element === null || seen === 'yes') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(timer);
        if (entry?.isIntersecting) timer = setTimeout(() => setSeen('yes'), SETTLE_MS);
      },
      // Only around the scrolling area itself does a margin count.
      { root: element.closest('[data-scrolls]'), rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [seen]);
  return <div ref={place}>{seen === 'yes' ? children : before}</div>;
}
