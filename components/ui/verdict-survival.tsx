import type { Survival } from '@/lib/domain/diagnosis/finished-durations';
import { curvePath } from './survival-curve';
import classes from './verdict-survival.module.css';

const WIDTH = 240;
const HEIGHT = 44;

/**
 * How an age compares with the network's finished requests: in a sentence with their number, and as the share that was
 * still open after so long. The line across the drawing is the age.
 */
export function SurvivalWords({ survival, ageMs }: { survival: Survival; ageMs: number }) {
  const { finished, longer, sentence, curve } = survival;
  const drawn = curvePath(curve, ageMs, { width: WIDTH, height: HEIGHT });
  const longerWords =
    longer === 0 ? 'None of them took as long as this one is old' : `${longer} of them took longer than this`;
  return (
    <div className={classes.survival}>
      <p>
        Of the network’s last <span className="num">{finished}</span> finished requests, {sentence}.{' '}
        {longerWords}.
      </p>
      <svg
        aria-hidden="true"
        className={classes.curve}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path className={classes.area} d={`${drawn.line}V${HEIGHT}H0Z`} />
        <path className={classes.line} d={drawn.line} />
        <path className={classes.age} d={`M${drawn.age} 0V${HEIGHT}`} />
      </svg>
    </div>
  );
}
