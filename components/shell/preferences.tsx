import { Icon } from '@/components/ui/icons';
import classes from './preferences.module.css';
import { ThemeSwitch } from './theme-switch';
import { ZoneSwitch } from './zone-switch';

/** What belongs to the person and not to the page: in the navigation, or behind a button of it where it is narrow. */
export function Preferences({ leave }: { leave: string | undefined }) {
  return (
    <>
      <button
        type="button"
        className={`icon-button ${classes.opener}`}
        aria-label="Times and theme"
        title="Times and theme"
        popoverTarget="preferences"
      >
        <Icon name="sliders" size={16} />
      </button>
      <div id="preferences" popover="auto" className={classes.preferences}>
        <ZoneSwitch />
        <ThemeSwitch />
        {leave === undefined ? null : (
          <a href={leave} className={classes.leave}>
            Sign out
          </a>
        )}
      </div>
    </>
  );
}
