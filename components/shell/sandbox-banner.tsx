import classes from './sandbox-banner.module.css';

/**
 * Says on every page, for as long as it is so, that nothing here is real. It can't be dismissed: somebody who
 * takes simulated requests for real ones is worse off than somebody who loses a bit of the screen.
 */
export function SandboxBanner() {
  return (
    <p
      role="status"
      aria-label="Sandbox"
      className={classes.pill}
      title="Simulated services, no real data. To go live, set LOGS_URL, UPDATES_URL or ROUTER_URL in .env.local (see .env.example) and start again."
    >
      <strong>Sandbox</strong>
      <span className={classes.more}>No real data</span>
    </p>
  );
}
