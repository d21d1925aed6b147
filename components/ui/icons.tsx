/** The few pictograms of the shell and the tables. Their shapes stand in the page once (`IconSprite`). */
export type IconName =
  | 'check'
  | 'alert'
  | 'cross'
  | 'clock'
  | 'dash'
  | 'dotted'
  | 'question'
  | 'copy'
  | 'external'
  | 'refresh'
  | 'search'
  | 'sun'
  | 'moon'
  | 'screen'
  | 'left'
  | 'right'
  | 'down'
  | 'broken'
  | 'play'
  | 'pause'
  | 'sliders'
  | 'close'
  | 'ticks'
  | 'filter'
  | 'calendar'
  | 'eye';

/** A decorative 16-pixel pictogram; the words beside it carry the meaning for assistive technology. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg aria-hidden="true" className="icon" width={size} height={size}>
      <use href={`#icon-${name}`} />
    </svg>
  );
}
