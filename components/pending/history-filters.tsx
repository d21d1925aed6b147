import { Group, NativeSelect } from '@mantine/core';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Segments } from '@/components/ui/inputs';
import { useLive } from '@/components/ui/live-controls';
import { HISTORY_RANGES, type HistoryRange, type IncidentHistory } from '@/lib/alerts/history';
import { clipped } from '@/lib/core/text';
import { rangeName } from '@/lib/core/time';
import classes from './pending.module.css';

type Props = Pick<IncidentHistory, 'networks' | 'range'> & { keepers: readonly string[] };

const RANGE_NAMES = Object.fromEntries(HISTORY_RANGES.map((range) => [range, rangeName(range)])) as Record<
  HistoryRange,
  string
>;

/** CSS pixels. */
const LABEL_WIDTHS = { keeper: 62, network: 70 };

export function HistoryFilters({ keepers, networks, range }: Props) {
  const live = useLive();
  const [chosen, show] = useQueryStates(
    {
      network: parseAsString.withDefault(''),
      keeper: parseAsString.withDefault(''),
      range: parseAsStringLiteral(HISTORY_RANGES),
    },
    { history: 'push', shallow: false, scroll: false },
  );
  const names = networks.map(({ networkId, name }) => ({ value: networkId, label: clipped(name, 60) }));
  const filters = [
    { param: 'keeper', label: 'Keeper', data: [{ value: '', label: 'all' }, ...keepers] },
    { param: 'network', label: 'Network', data: [{ value: '', label: 'all' }, ...names] },
  ] as const;
  return (
    <Group gap="xs" w={{ base: '100%', sm: 'auto' }}>
      <Segments
        flex={{ base: '1 0 100%', sm: 'none' }}
        aria-label="Range"
        names={RANGE_NAMES}
        value={range}
        disabled={!live}
        onChoose={(chosenRange) => void show({ range: chosenRange })}
      />
      {filters.slice(keepers.length < 2 ? 1 : 0).map(({ param, label, data }) => (
        <NativeSelect
          key={param}
          aria-label={label}
          className={classes.select}
          leftSection={<span>{label}:</span>}
          leftSectionWidth={LABEL_WIDTHS[param]}
          leftSectionPointerEvents="none"
          flex={{ base: '1 1 9rem', sm: 'none' }}
          disabled={!live}
          value={chosen[param]}
          onChange={(event) => void show({ [param]: event.currentTarget.value || null })}
          data={data}
        />
      ))}
    </Group>
  );
}
