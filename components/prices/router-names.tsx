'use client';
import { useState } from 'react';
import { isRouterName, ROUTER_FORMATS, ROUTER_PROPERTIES } from '@/lib/contract/codec/prices-url';
import classes from './lookup-options.module.css';

const KNOWN: Readonly<Record<'properties' | 'formats', readonly string[]>> = {
  properties: ROUTER_PROPERTIES,
  formats: ROUTER_FORMATS,
};

/** The properties or formats that the router is asked for: those that are known, and any other by its name. */
export function RouterNames({
  kind,
  chosen,
  onChoose,
}: {
  kind: 'properties' | 'formats';
  chosen: readonly string[];
  onChoose: (names: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const known = KNOWN[kind];
  const all = [...known, ...chosen.filter((name) => !known.includes(name))];
  const toggle = (name: string) => onChoose(all.filter((one) => chosen.includes(one) !== (one === name)));
  const canAdd = isRouterName(typed.trim()) && !chosen.includes(typed.trim());
  function add() {
    if (!canAdd) return;
    onChoose([...chosen, typed.trim()]);
    setTyped('');
  }
  return (
    <fieldset className={classes.group}>
      <legend>Router {kind}</legend>
      <div className={classes.names}>
        {all.map((name) => (
          <label key={name} className={classes.tick}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            <code>{name}</code>
          </label>
        ))}
      </div>
      <div className={classes.add}>
        <input
          type="text"
          className="small-field"
          aria-label={`Another of the ${kind}`}
          placeholder="another name"
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => (event.key === 'Enter' ? add() : undefined)}
        />
        <button type="button" className="small-button" disabled={!canAdd} onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}
