'use client';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { askAgain } from './ask-again';
import type { LookupAsk } from './price-lookup';
import { fetchLookup } from './price-lookup-fetch';
import { LookupRun } from './price-lookup-run';
import { IDLE_LOOKUP, type LookupEdges, type LookupState } from './price-lookup-state';

const EDGES: LookupEdges = {
  ask: fetchLookup,
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A question that was changed is asked when it has stayed the same for so long. */
const SETTLES_MS = 500;

const never = () => () => {};
const idle = () => IDLE_LOOKUP;

/** The same text for the same question. */
function identityOf(ask: LookupAsk | undefined): string {
  return JSON.stringify(ask, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? '';
}

export type PriceLookupHandle = {
  /** The question, the same object as long as its content is the same. */
  readonly ask: LookupAsk | undefined;
  readonly state: LookupState;
  /** Asks, or asks again; what is under way is given up. */
  readonly start: () => void;
  readonly cancel: () => void;
};

/**
 * The lookup of a question, given up when another question takes its place.
 * @param ask undefined while it is not known what is asked
 * @param begins whether a new question is asked at once, or only when somebody says so
 */
export function usePriceLookup(
  ask: LookupAsk | undefined,
  begins: 'at once' | 'when told',
): PriceLookupHandle {
  const identity = useMemo(() => identityOf(ask), [ask]);
  const [asked, setAsked] = useState({ identity, ask, times: 0 });
  // The question may be made anew with every drawing; it is another one only when its content is.
  if (asked.identity !== identity) setAsked({ identity, ask, times: 0 });
  const [run, setRun] = useState<LookupRun>();
  const settled = useRef(false);
  useEffect(() => {
    if (asked.ask === undefined) {
      setRun(undefined);
      return;
    }
    const next = new LookupRun(asked.ask, EDGES);
    setRun(next);
    const isWanted = begins === 'at once' || asked.times > 0;
    // Who changes a question rarely changes one thing of it.
    const waitMs = asked.times > 0 || !settled.current ? 0 : SETTLES_MS;
    settled.current = true;
    const cancelStart = isWanted ? EDGES.after(waitMs, () => next.start()) : undefined;
    return () => {
      cancelStart?.();
      next.cancel();
    };
  }, [asked, begins]);
  const state = useSyncExternalStore(run?.subscribe ?? never, run?.current ?? idle, idle);
  return {
    ask: asked.ask,
    // Until the effect has run, the answers are those of another question.
    state: state.ask === asked.ask ? state : IDLE_LOOKUP,
    start: () => askAgain(() => setAsked((before) => ({ ...before, times: before.times + 1 }))),
    cancel: () => run?.cancel(),
  };
}
