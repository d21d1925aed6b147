import { formatScaled, type ScaledInteger } from '@/lib/domain/scaled-number';
import classes from './exact-number.module.css';

/**
 * Every digit of a number, none rounded. Groups of three are set apart by space that is not text, so that what is
 * copied, searched or read aloud is the plain number; zeros at the end are kept, only fainter, and so the width holds still.
 */
export function ExactNumber({
  value,
  figure,
}: {
  value: ScaledInteger;
  /** Which figure of its card this is. */
  figure: 'price' | 'confidence' | 'ema';
}) {
  const text = formatScaled(value);
  const point = text.indexOf('.');
  const whole = point === -1 ? text : text.slice(0, point);
  const decimals = point === -1 ? '' : text.slice(point);
  const significant = decimals.replace(/\.?0+$/, '');
  return (
    <span className={classes.number} data-figure={figure} data-length={lengthWord(text)}>
      {groupsOf(whole).map(({ digits, place }) => (
        <span key={place} className={classes.group}>
          {digits}
        </span>
      ))}
      {significant}
      {significant === decimals ? null : (
        <span className={classes.zeros}>{decimals.slice(significant.length)}</span>
      )}
    </span>
  );
}

function lengthWord(text: string): 'short' | 'medium' | 'long' {
  return text.length <= 14 ? 'short' : text.length <= 20 ? 'medium' : 'long';
}

/** `-1234567` → `-1`, `234`, `567`, each with how many digits follow it. */
function groupsOf(whole: string): { digits: string; place: number }[] {
  if (!/^-?\d+$/.test(whole)) {
    return [{ digits: whole, place: 0 }];
  }
  const groups: { digits: string; place: number }[] = [];
  const firstDigit = whole.startsWith('-') ? 1 : 0;
  for (let end = whole.length; end > firstDigit; end -= 3) {
    const start = end - 3 <= firstDigit ? 0 : end - 3;
    groups.unshift({ digits: whole.slice(start, end), place: whole.length - end });
  }
  return groups;
}
