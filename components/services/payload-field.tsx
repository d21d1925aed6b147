import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import classes from './payload.module.css';

/** Facts of a part of the payload, with the part's name above them. */
export function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.facts} aria-label={title}>
      <h3 className={classes.factsTitle}>{title}</h3>
      <dl>{children}</dl>
    </section>
  );
}

/** One fact. @param offset where it stands in the payload; @param copied what the button copies, none without it */
export function Fact({
  name,
  offset,
  copied,
  children,
}: {
  name: string;
  offset?: number;
  copied?: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>
        <span className={classes.value}>{children}</span>
        {copied === undefined ? null : <CopyButton value={copied} label={`Copy ${name.toLowerCase()}`} />}
        {offset === undefined ? null : (
          <span className={classes.offset} title={`Begins at byte ${offset} of the payload`}>
            @{offset}
          </span>
        )}
      </dd>
    </div>
  );
}
