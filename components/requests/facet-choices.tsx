'use client';
import { useState } from 'react';
import { type Tick, TickList } from '@/components/ui/tick-list';
import { useFacet } from '@/lib/client/facets';
import type { FacetOf } from '@/lib/contract/codec/facets';
import type { RequestsView } from '@/lib/requests/view';
import { choiceDraftOf, reconciledChoice, sentDraft } from './choice-draft';
import classes from './facet-choices.module.css';
import { facetTicks, facetWords } from './facet-ticks';

export type FacetChoice = {
  view: RequestsView;
  of: FacetOf;
  ticks: readonly Tick[];
  /** A tick for a text that names none of them. */
  tickOf?: (text: string) => Tick | undefined;
  /** Names the field that narrows the list; undefined where the list is short. */
  filterName?: string;
  chosen: readonly string[];
  onChoose: (values: string[], as: 'push' | 'replace') => void;
};

/**
 * The list of a filter with what the service counts for each value, asked for while it is open. Each tick holds at once.
 * The first one is a step of its own and the others replace it, so that Back undoes the whole choice.
 */
export function FacetChoices({ view, of, ticks, tickOf, filterName, chosen, onChoose }: FacetChoice) {
  const facet = useFacet(view, of, 'open');
  const [kept, setDraft] = useState(() => choiceDraftOf(chosen));
  const [changed, setChanged] = useState<'no' | 'yes'>('no');
  // Those that were chosen when it opened stand first, and stay there while one ticks.
  const [first] = useState(chosen);
  const draft = reconciledChoice(kept, chosen);
  if (draft !== kept) setDraft(draft);

  function choose(values: string[]) {
    setDraft(sentDraft(draft, values));
    onChoose(values, changed === 'no' ? 'push' : 'replace');
    setChanged('yes');
  }

  return (
    <div className={classes.choices}>
      <TickList
        name={NAMES[of]}
        title={NAMES[of]}
        filterName={filterName}
        ticks={facetTicks(of, ticks, facet, first)}
        tickOf={tickOf}
        chosen={draft.values}
        onChoose={choose}
        focus="taken"
        foot={<Foot words={facetWords(of, facet, draft.values.length)} />}
      />
    </div>
  );
}

const NAMES: Record<FacetOf, string> = { network: 'Networks', state: 'States', keeper: 'Keepers' };

function Foot({ words }: { words: string }) {
  return (
    <>
      <p className={classes.words}>{words}</p>
      <p className={classes.keys}>
        <kbd>Space</kbd> ticks, <kbd>Enter</kbd> takes only that one
      </p>
    </>
  );
}
