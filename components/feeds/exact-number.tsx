import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
import classes from './feeds.module.css';

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
  const [, sign = '', whole = text, decimals = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  const significant = decimals.replace(/\.?0+$/, '');
  const length = text.length <= 14 ? 'short' : text.length <= 20 ? 'medium' : 'long';
  return (
    <span className={classes.number} data-figure={figure} data-length={length}>
      {sign}
      {groupsOf(whole).map(({ digits, place }) => (
        <span key={place} className={classes.digits}>
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

/** `1234567` → `1`, `234`, `567`, each with how many digits follow it. */
function groupsOf(whole: string): { digits: string; place: number }[] {
  const groups: { digits: string; place: number }[] = [];
  for (let end = whole.length; end > 0; end -= 3) {
    groups.unshift({ digits: whole.slice(Math.max(0, end - 3), end), place: whole.length - end });
  }
  return groups;
}
