'use client';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { Icon } from '@/components/ui/icons';
import { SOURCE_NAMES } from '@/lib/client/price-lookup-words';
import { LOOKUP_SOURCES, type LookupSource, type PricesView } from '@/lib/contract/codec/prices-url';
import { CHANNELS } from '@/lib/domain/router-price';
import classes from './lookup-options.module.css';
import { RouterNames } from './router-names';
import type { ShowPrices } from './use-prices-view';

type Props = { view: PricesView; show: ShowPrices };

/** Which sources are asked, and every parameter that their routes take. */
export function LookupOptionsForm({ view, show }: Props) {
  const set = (change: Partial<PricesView>) => show((now) => ({ ...now, ...change }));
  return (
    <div className={classes.options}>
      <Sources view={view} show={show} />
      <div className={classes.channel}>
        <ChoiceSelect
          label="Router channel"
          value={view.channel}
          data={CHANNELS.map((channel) => ({ value: channel, label: channel }))}
          onChoose={(text) => {
            const channel = CHANNELS.find((one) => one === text);
            if (channel !== undefined) set({ channel });
          }}
        />
      </div>
      <details className={classes.more}>
        <summary>
          <Icon name="sliders" size={14} /> Parameters
        </summary>
        <div className={classes.groups}>
          <UpdateOptions view={view} set={set} />
          <RouterNames
            kind="properties"
            chosen={view.properties}
            onChoose={(properties) => set({ properties })}
          />
          <RouterNames kind="formats" chosen={view.formats} onChoose={(formats) => set({ formats })} />
        </div>
      </details>
    </div>
  );
}

function Sources({ view, show }: Props) {
  const toggle = (source: LookupSource) =>
    show((now) => {
      const chosen = LOOKUP_SOURCES.filter((one) =>
        one === source ? !now.sources.includes(one) : now.sources.includes(one),
      );
      // One source at least is asked.
      return chosen.length === 0 ? now : { ...now, sources: chosen };
    });
  return (
    <fieldset className={classes.sources}>
      <legend className="sr-only">Sources</legend>
      {LOOKUP_SOURCES.map((source) => (
        <label key={source} className={classes.tick}>
          <input type="checkbox" checked={view.sources.includes(source)} onChange={() => toggle(source)} />
          {SOURCE_NAMES[source].name}
          <span className={classes.hint}>{source === 'router' ? '' : SOURCE_NAMES[source].hint}</span>
        </label>
      ))}
    </fieldset>
  );
}

function UpdateOptions({ view, set }: { view: PricesView; set: (change: Partial<PricesView>) => void }) {
  return (
    <fieldset className={classes.group}>
      <legend>Update services</legend>
      <ChoiceSelect
        label="encoding"
        value={view.encoding}
        data={['hex', 'base64']}
        onChoose={(text) => set({ encoding: text === 'base64' ? 'base64' : 'hex' })}
      />
      <Tick name="parsed" value={view.parsed} onChange={(parsed) => set({ parsed })} />
      <Tick
        name="ignore_invalid_price_ids"
        value={view.invalid === 'ignored' ? 'yes' : 'no'}
        onChange={(word) => set({ invalid: word === 'yes' ? 'ignored' : 'refused' })}
      />
      <p className={classes.hint}>Of the deprecated route only:</p>
      <Tick name="verbose" value={view.verbose} onChange={(verbose) => set({ verbose })} />
      <Tick name="binary" value={view.binary} onChange={(binary) => set({ binary })} />
    </fieldset>
  );
}

function Tick({
  name,
  value,
  onChange,
}: {
  name: string;
  value: 'yes' | 'no';
  onChange: (value: 'yes' | 'no') => void;
}) {
  return (
    <label className={classes.tick}>
      <input
        type="checkbox"
        checked={value === 'yes'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'yes' : 'no')}
      />
      <code>{name}</code>
    </label>
  );
}
