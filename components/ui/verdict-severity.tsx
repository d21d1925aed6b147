import type { Severity } from '@/lib/domain/diagnosis/verdict';
import { Icon } from './icons';
import classes from './verdict-severity.module.css';
import { SEVERITY_ICONS, SEVERITY_WORDS } from './verdict-words';

/** How grave something is: shape, word and colour. */
export function VerdictSeverity({ severity }: { severity: Severity }) {
  return (
    <span className={classes.severity} data-severity={severity}>
      <Icon name={SEVERITY_ICONS[severity]} size={13} />
      {SEVERITY_WORDS[severity]}
    </span>
  );
}
