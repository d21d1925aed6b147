import type { CSSProperties, ReactNode } from 'react';
import classes from './gallery.module.css';

/** A part of the gallery: one feature. */
export function GallerySection({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.section} data-section={name}>
      <h2 className={classes.name}>{name}</h2>
      {children}
    </div>
  );
}

/** One component in one state. */
export function Specimen({
  name,
  height,
  opens,
  children,
}: {
  name: string;
  /** CSS length, for what fills the place it is given. */
  height?: string;
  /** Its buttons open windows, which are to be looked at, too. */
  opens?: 'yes';
  children: ReactNode;
}) {
  return (
    <div
      className={classes.specimen}
      data-specimen={name}
      data-height={height}
      data-opens={opens}
      style={height === undefined ? undefined : ({ '--height': height } as CSSProperties)}
    >
      <h3 className={classes.label}>{name}</h3>
      <div className={classes.stage}>{children}</div>
    </div>
  );
}
