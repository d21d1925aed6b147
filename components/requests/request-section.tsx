'use client';
import { createContext, type ReactNode, useContext } from 'react';
import classes from './request-content.module.css';

const Heading = createContext<'h2' | 'h3'>('h3');

/** Says which rank the headings of the sections have: the page begins with a first one, the panel with a second. */
export function SectionHeadings({ rank, children }: { rank: 'h2' | 'h3'; children: ReactNode }) {
  return <Heading value={rank}>{children}</Heading>;
}

/** One part of what is known of a request, with its heading and perhaps a button beside it. */
export function Section({
  title,
  beside,
  children,
}: {
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}) {
  const Rank = useContext(Heading);
  // Found by its heading: a dozen named regions would be landmarks that lead nobody.
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <Rank className={classes.sectionTitle}>{title}</Rank>
        {beside}
      </div>
      {children}
    </section>
  );
}
