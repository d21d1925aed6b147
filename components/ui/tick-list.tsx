'use client';
import type { ReactNode } from 'react';
import { Icon } from './icons';
import type { Choice } from './matching-choices';
import classes from './tick-list.module.css';
import { type TickInput, useTickList } from './use-tick-list';

/** `barred` can't be newly ticked; `note` says why, or what else there is to say. */
export type Tick = Choice & { figure?: ReactNode; note?: string; standing?: 'offered' | 'barred' };

type TickList = ReturnType<typeof useTickList>;

/**
 * A choice of several. Arrows go through the list, Space ticks, Enter takes only that one; letters go on in the field
 * that narrows the list. There is one stop for Tab, however long the list is.
 */
export function TickList({
  name,
  title,
  filterName,
  foot,
  ...input
}: TickInput & {
  /** Names the list. */
  name: string;
  /** Stands above it where there is no such field. */
  title: string;
  /** Names the field that narrows it; undefined where the list is too short for one. */
  filterName?: string;
  foot?: ReactNode;
}) {
  const list = useTickList(input);
  const { shown, typed, setTyped, field, onKeyDown } = list;
  const tickable = shown.filter(({ standing }) => standing !== 'barred');
  return (
    <fieldset className={classes.ticks} aria-label={name} onKeyDown={onKeyDown} ref={list.root}>
      <div className={classes.head}>
        {filterName === undefined ? (
          <span className={classes.title}>{title}</span>
        ) : (
          <span className={classes.field}>
            <Icon name="search" size={13} />
            <input
              ref={field}
              type="text"
              aria-label={filterName}
              placeholder={filterName}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              data-step="field"
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </span>
        )}
        <button type="button" disabled={tickable.length === 0} onClick={list.tickShown}>
          All
        </button>
        <button type="button" disabled={input.chosen.length === 0} onClick={() => input.onChoose([])}>
          Clear
        </button>
      </div>
      <ul className={classes.list}>
        {shown.map((tick) => (
          <TickRow key={tick.value} tick={tick} list={list} chosen={input.chosen} />
        ))}
      </ul>
      {shown.length === 0 ? <p className={classes.none}>Nothing of that name or id</p> : null}
      {foot === undefined ? null : <div className={classes.foot}>{foot}</div>}
    </fieldset>
  );
}

function TickRow({ tick, list, chosen }: { tick: Tick; list: TickList; chosen: readonly string[] }) {
  const isTicked = chosen.includes(tick.value);
  const isBarred = tick.standing === 'barred' && !isTicked;
  return (
    <li className={classes.row} data-standing={tick.standing}>
      <label className={classes.label}>
        <input
          type="checkbox"
          value={tick.value}
          checked={isTicked}
          disabled={isBarred}
          data-step="tick"
          tabIndex={list.stop === tick.value ? 0 : -1}
          onFocus={() => list.setStop(tick.value)}
          onChange={() => list.toggle(tick.value)}
        />
        <bdi className={classes.name}>{tick.label}</bdi>
        {tick.hint === undefined ? null : <span className={classes.hint}>{tick.hint}</span>}
        {tick.note === undefined ? null : <span className={classes.note}>{tick.note}</span>}
      </label>
      {tick.figure === undefined ? null : <span className={`${classes.figure} num`}>{tick.figure}</span>}
      {isBarred ? null : (
        <button type="button" className={classes.only} tabIndex={-1} onClick={() => list.only(tick.value)}>
          Only<span className="sr-only"> {tick.label}</span>
        </button>
      )}
    </li>
  );
}
