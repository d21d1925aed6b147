'use client';
import { ActionIcon, Button, Group, Popover, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '@/components/ui/icons';
import { useLive } from '@/components/ui/live-controls';
import { useZoneSwitch } from '@/components/ui/time-style';
import type { Zone } from '@/lib/core/time-text';

/** What belongs to the person and not to the page: in the navigation, or behind a button of it where it is narrow. */
export function Preferences({ leave }: { leave: string | undefined }) {
  const controls = (
    <>
      <ZoneSwitch />
      <ThemeSwitch />
      {leave === undefined ? null : <a href={leave}>Sign out</a>}
    </>
  );
  return (
    <>
      <Group gap="xs" wrap="nowrap" visibleFrom="lg">
        {controls}
      </Group>
      <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon size="lg" hiddenFrom="lg" aria-label="Times and theme" title="Times and theme">
            <Icon name="sliders" size={16} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <Group gap="xs">{controls}</Group>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

const ZONES: { value: Zone; label: string; title: string }[] = [
  { value: 'utc', label: 'UTC', title: 'Times in UTC' },
  { value: 'local', label: 'Local', title: 'Times by the clock of this computer' },
  { value: 'relative', label: 'Relative', title: 'Times as ages: 3 min ago' },
];

/** How times are shown on every page. The server knows the choice from a cookie, so its markup is right already. */
function ZoneSwitch() {
  const { zone, setZone } = useZoneSwitch();
  const live = useLive();
  return (
    <Button.Group aria-label="Times">
      {ZONES.map(({ value, label, title }) => (
        <Button
          key={value}
          size="compact-xs"
          disabled={!live}
          aria-pressed={zone === value}
          title={title}
          onClick={() => setZone(value)}
        >
          {label}
        </Button>
      ))}
    </Button.Group>
  );
}

const THEMES: { value: 'auto' | 'light' | 'dark'; label: string; icon: IconName }[] = [
  { value: 'auto', label: 'System', icon: 'screen' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

/** Which theme is chosen is known only to the browser: the server's markup, and the first pass over it, mark none. */
function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const live = useLive();
  return (
    <ActionIcon.Group aria-label="Theme">
      {THEMES.map(({ value, label, icon }) => (
        <ActionIcon
          key={value}
          variant="default"
          aria-pressed={live && colorScheme === value}
          aria-label={label}
          title={`${label} theme`}
          onClick={() => setColorScheme(value)}
        >
          <Icon name={icon} size={15} />
        </ActionIcon>
      ))}
    </ActionIcon.Group>
  );
}
