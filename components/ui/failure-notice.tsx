'use client';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './failure-notice.module.css';
import { Icon } from './icons';

type Props = {
  title: string;
  /** The other side's own words, already made harmless. */
  said?: string;
  /** What is shown all the same. */
  kept: string;
  todo: string;
  /** Whole seconds until it is tried again by itself; undefined when it is not. */
  retryInS: number | undefined;
  /** Undefined when asking again can't help now. */
  onRetry: (() => void) | undefined;
  children?: ReactNode;
};

/** What failed and whose fault it is, what is still shown, and what to do. The countdown is not announced. */
export function FailureNotice({ title, said, kept, todo, retryInS, onRetry, children }: Props) {
  return (
    <div className={classes.notice}>
      <div className={classes.words} role="alert">
        <Icon name="alert" />
        <p>
          <strong className={classes.title}>{title}.</strong>{' '}
          {said === undefined ? null : (
            <>
              It said: <q className={`${classes.said} foreign`}>{said}</q>.{' '}
            </>
          )}
          <span>{kept}</span> <span>{todo}</span>
        </p>
      </div>
      <div className={classes.actions}>
        {retryInS === undefined ? null : (
          <span className={`${classes.countdown} num`}>
            {retryInS > 0 ? `Next try in ${retryInS} s` : 'Trying…'}
          </span>
        )}
        {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
    </div>
  );
}
