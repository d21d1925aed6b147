'use client';
import { useMantineColorScheme } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import classes from './theme-switch.module.css';

const CHOICES: { value: 'auto' | 'light' | 'dark'; label: string; icon: IconName }[] = [
  { value: 'auto', label: 'System', icon: 'screen' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

const never = () => () => {};

/** Which theme is chosen is known only to the browser: the server's markup, and the first pass over it, mark none. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const chosen = useSyncExternalStore(
    never,
    () => colorScheme,
    () => undefined,
  );
  return (
    <fieldset className={classes.switch} aria-label="Theme">
      {CHOICES.map((choice) => (
        <button
          key={choice.value}
          type="button"
          className={`icon-button ${classes.choice}`}
          aria-pressed={chosen === choice.value}
          aria-label={choice.label}
          title={`${choice.label} theme`}
          onClick={() => setColorScheme(choice.value)}
        >
          <Icon name={choice.icon} size={15} />
        </button>
      ))}
    </fieldset>
  );
}
