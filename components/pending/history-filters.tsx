import { Group, NativeSelect } from '@mantine/core';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Segments } from '@/components/ui/inputs';
import { useLive } from '@/components/ui/live-controls';
import { HISTORY_RANGES, type History, type HistoryRange } from '@/lib/alerts/history';
import { clipped } from '@/lib/core/text';

type Props = Pick<History, 'networks' | 'range'> & { keepers: readonly string[] };

const RANGE_NAMES: Record<HistoryRange, string> = {
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
};

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
    { param: 'network', label: 'Network', data: [{ value: '', label: 'All networks' }, ...names] },
    { param: 'keeper', label: 'Keeper', data: [{ value: '', label: 'All keepers' }, ...keepers] },
  ] as const;
  return (
    <Group gap="xs" align="end" w={{ base: '100%', sm: 'auto' }}>
      <Segments
        flex={{ base: '1 0 100%', sm: 'none' }}
        aria-label="Range"
        names={RANGE_NAMES}
        value={range}
        disabled={!live}
        onChoose={(chosenRange) => void show({ range: chosenRange })}
      />
      {filters.slice(0, keepers.length < 2 ? 1 : 2).map(({ param, label, data }) => (
        <NativeSelect
          key={param}
          label={label}
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
