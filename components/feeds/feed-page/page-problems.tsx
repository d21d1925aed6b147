import Link from 'next/link';
import { Icon } from '@/components/ui/icons';
import warnings from '@/components/ui/warning-list.module.css';
import type { UrlProblem } from '@/lib/domain/url-problem';
import classes from './feed-page.module.css';

/** What of the address could not be read. */
export function PageProblems({ problems }: { problems: readonly UrlProblem[] }) {
  return problems.length === 0 ? null : (
    <ul className={warnings.list} aria-label="Not understood in the address">
      {problems.map(({ param, value, message }) => (
        <li key={`${param} ${value}`}>
          <Icon name="alert" size={14} />
          <span>
            <code>
              {param}={value}
            </code>{' '}
            {message}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A path that names no feed. */
export function UnknownFeed({ text, search }: { text: string; search: 'going on' | 'over' }) {
  return (
    <div className={classes.unknown}>
      <h1>{search === 'over' ? 'Unknown feed' : 'Looking for the feed…'}</h1>
      <p>
        {search === 'over' ? 'No feed is called ' : 'Asking the services for '}
        <code className="foreign">{text.slice(0, 200)}</code>
        {search === 'over'
          ? '. A feed is named by its symbol, like Crypto.BTC/USD, or by its id of 64 hex digits.'
          : '.'}
      </p>
      <p>
        <Link href="/feeds">All feeds</Link>
      </p>
    </div>
  );
}
