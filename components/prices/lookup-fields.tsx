'use client';
import { Button, Checkbox, Fieldset, Group, Pill, Popover, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { Choice, DraftInput, Segments } from '@/components/ui/inputs';
import { Muted, MutedInline } from '@/components/ui/text';
import { POPOVER } from '@/components/ui/theme';
import { useTimeStyle } from '@/components/ui/time-style';
import { stripWrapping, visibleText } from '@/lib/core/pasted';
import { CHANNELS } from '@/lib/core/router-price';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatIsoMicros, millisToSeconds, secondsToMicros } from '@/lib/core/time';
import { inputZone, momentFieldText, typedMoment } from '@/lib/core/time-text';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { SOURCE_NAMES } from '@/lib/prices/comparison';
import { resolveLookupFeeds } from '@/lib/prices/lookup';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import {
  LOOKUP_SOURCES,
  type LookupView,
  MAX_LOOKED_UP,
  momentOfView,
  parseMoment,
  ROUTER_FORMATS,
  ROUTER_PROPERTIES,
} from '@/lib/prices/view';
import classes from './prices.module.css';

export type ShownView = LookupView & { ids: string[] };
export type LookupFieldProps = { view: ShownView; show: (change: Partial<LookupView>) => void };

const MAX_LISTED = 50;

export function FeedField({ view, show, symbols }: LookupFieldProps & { symbols: readonly FeedSymbol[] }) {
  const [search, setSearch] = useState('');
  // A feed of the directory gets the id that most sources accept.
  const matches = searchFeeds(symbols, search)
    .slice(0, MAX_LISTED)
    .map(({ feedId, routerId, symbol }) => ({
      value: feedId ?? routerId ?? symbol,
      label: clipped(symbol, 60),
      hint: routerId === undefined ? 'no router id' : `router ${clipped(routerId, 20)}`,
    }));
  const nameOf = (text: string) => {
    const symbol = resolveLookupFeeds([text], symbols).feeds[0]?.symbol ?? text;
    return clipped(symbol.length === 64 ? shortenHex(`0x${symbol}`) : symbol, 40);
  };
  const labels = new Map(matches.map((option) => [option.value, option]));
  return (
    <TagsInput
      role="combobox"
      aria-label="Add a feed"
      placeholder={view.ids.length === 0 ? 'Symbol, router id or feed id' : 'Add a feed'}
      data={search === '' && view.ids.length > 0 ? [] : matches}
      value={view.ids}
      onChange={(ids) => show({ ids: ids.map((id) => stripWrapping(visibleText(id))).filter(Boolean) })}
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      selectFirstOptionOnChange={search !== ''}
      splitChars={[',', ';', '\n', '\t']}
      maxTags={MAX_LOOKED_UP}
      acceptValueOnBlur={false}
      clearable
      clearButtonProps={{ 'aria-label': 'Clear feeds' }}
      renderPill={({ value = '', onRemove }) => (
        <Pill
          withRemoveButton
          onRemove={onRemove}
          removeButtonProps={{ 'aria-label': `Remove ${nameOf(value)}` }}
        >
          <bdi>{nameOf(value)}</bdi>
        </Pill>
      )}
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" wrap="nowrap">
          <bdi>{labels.get(option.value)?.label}</bdi>
          <Muted size="xs">{labels.get(option.value)?.hint}</Muted>
        </Group>
      )}
    />
  );
}

/** Services have the prices of a second only some seconds later. */
const SETTLED_MS = 10_000;

const justNow = () => formatIsoMicros(secondsToMicros(millisToSeconds(Date.now() - SETTLED_MS)));

/** "Now", or a moment to the microsecond. Applied on Enter or blur. */
export function MomentField({ view, show }: LookupFieldProps) {
  const style = useTimeStyle();
  const at = momentOfView(view.at);
  const shown =
    at === 'now' ? '' : at === undefined ? (view.at ?? '') : momentFieldText(formatIsoMicros(at), style);
  const read = (text: string) =>
    parseMoment(/^\d+(\.\d+)?$/.test(text) ? text : (typedMoment(text, style) ?? ''));
  return (
    <Group gap="sm" align="flex-start">
      <Segments
        aria-label="Moment"
        names={{ now: 'Now', at: 'At time' }}
        value={at === 'now' ? 'now' : 'at'}
        onChoose={(chosen) => show({ at: chosen === 'now' ? null : justNow() })}
      />
      {at === 'now' ? null : (
        <DraftInput
          aria-label="Time"
          w="17rem"
          description={`ISO time (${inputZone(style).replaceAll('_', ' ')}) or unix seconds`}
          inputWrapperOrder={['input', 'description', 'error']}
          value={shown}
          problemOf={(text) =>
            read(text) === undefined ? 'Use 2026-11-20T12:00:00Z or unix seconds' : undefined
          }
          onApply={(text) => {
            const us = read(text);
            if (us !== undefined) show({ at: formatIsoMicros(us) });
          }}
        />
      )}
    </Group>
  );
}

const FLAGS = {
  parsed: 'Parsed form',
  ignore_invalid_price_ids: 'Skip unknown feeds',
  verbose: 'Verbose',
  binary: 'Signed payload',
} as const;

export function Options({ view, show }: LookupFieldProps) {
  return (
    <>
      <Checkbox.Group
        aria-label="Sources"
        value={view.sources}
        onChange={(chosen) => {
          const sources = LOOKUP_SOURCES.filter((source) => chosen.includes(source));
          if (sources.length > 0) show({ sources });
        }}
      >
        <Group gap="0 var(--ks-gap-lg)" className={classes.sources}>
          {LOOKUP_SOURCES.map((source) => {
            const { name, hint } = SOURCE_NAMES[source];
            const isOld = source === 'deprecated';
            const label = isOld ? <MutedInline size="xs">{name}</MutedInline> : name;
            return <Checkbox key={source} value={source} label={label} title={hint || undefined} />;
          })}
        </Group>
      </Checkbox.Group>
      <Choice
        aria-label="Router channel"
        names={CHANNELS}
        value={view.channel}
        onChoose={(channel) => show({ channel })}
      />
      <Parameters view={view} show={show} />
    </>
  );
}

function Parameters({ view, show }: LookupFieldProps) {
  const flag = (name: keyof typeof FLAGS) => (
    <Checkbox
      label={FLAGS[name]}
      title={name}
      checked={view[name]}
      onChange={(event) => show({ [name]: event.currentTarget.checked })}
    />
  );
  const names = (name: 'properties' | 'formats', data: string[]) => (
    <TagsInput
      size="xs"
      label={`Router ${name}`}
      data={data}
      value={view[name]}
      onChange={(value) => show({ [name]: value })}
      comboboxProps={{ withinPortal: false }}
      clearable
    />
  );
  return (
    <Popover {...POPOVER} width="min(26rem, calc(100vw - 2rem))">
      <Popover.Target>
        <Button>Parameters</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Fieldset legend="Update services">
            <Stack gap="xs">
              <Choice
                label="Encoding"
                names={['hex', 'base64']}
                value={view.encoding}
                onChoose={(encoding) => show({ encoding })}
              />
              {flag('parsed')}
              {flag('ignore_invalid_price_ids')}
            </Stack>
          </Fieldset>
          <Fieldset legend="Deprecated route">
            <Group>
              {flag('verbose')}
              {flag('binary')}
            </Group>
          </Fieldset>
          {names('properties', ROUTER_PROPERTIES)}
          {names('formats', ROUTER_FORMATS)}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
