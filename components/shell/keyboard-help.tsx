'use client';
import { Icon } from '@/components/ui/icons';
import { Kbd } from '@/components/ui/kbd';
import { closeDialogOf, ModalDialog } from '@/components/ui/modal-dialog';
import { keyNames, SHORTCUT_PLACES, SHORTCUTS, type Shortcut } from '@/lib/client/keyboard-shortcuts';
import { useSingleKeys } from '@/lib/client/keyboard-single-keys';
import classes from './keyboard-help.module.css';

function Keys({ of }: { of: Shortcut }) {
  return of.keys.map((keys, index) => (
    <span key={keys} className={classes.alternative}>
      {index > 0 ? <span className={classes.or}>or</span> : null}
      <Kbd {...keyNames(keys)} />
    </span>
  ));
}

function SingleKeys() {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        checked={singleKeys === 'on'}
        onChange={(event) => setSingleKeys(event.currentTarget.checked ? 'on' : 'off')}
      />
      Shortcuts of single letters and signs
    </label>
  );
}

/** Every shortcut there is, by where it works. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <ModalDialog label="Keyboard shortcuts" width="44rem" onClose={onClose}>
      <div className={classes.head}>
        <h2 className={classes.title}>Keyboard shortcuts</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          title="Close (Esc)"
          onClick={(event) => closeDialogOf(event.currentTarget)}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className={classes.places}>
        {SHORTCUT_PLACES.map((place) => (
          <section key={place} className={classes.place}>
            <h3 className={classes.name}>{place}</h3>
            <dl>
              {SHORTCUTS.filter(({ where }) => where === place).map((shortcut) => (
                <div key={shortcut.keys.join()} className={classes.shortcut}>
                  <dt>
                    <Keys of={shortcut} />
                  </dt>
                  <dd>{shortcut.what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className={classes.foot}>
        <SingleKeys />
        <p>While you type into a field, only Ctrl K works.</p>
      </div>
    </ModalDialog>
  );
}
