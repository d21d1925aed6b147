import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Announcements } from '@/components/ui/announce';
import { CONTENT_ID } from '@/components/ui/pages';
import type { Health } from '@/lib/core/health';
import type { RenderedIndex } from '@/lib/pending/client/stuck-count';
import { Navigation, Preferences, ServiceStrip } from './navigation';
import classes from './shell.module.css';
import { ShellKeys } from './shell-keys';

type Frame = { health: Health; rendered: RenderedIndex; leave: string | undefined; children: ReactNode };

/** `rendered` is the index at render time; `leave` is the path of the sign-out. */
export function Shell({ health, rendered, leave, children }: Frame) {
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href={`#${CONTENT_ID}`}>
        Skip to content
      </a>
      <Navigation rendered={rendered} beside={health.source === 'sandbox' ? <SandboxBanner /> : null}>
        <ServiceStrip initial={health} />
        <ShellKeys />
        <Preferences leave={leave} />
      </Navigation>
      <main id={CONTENT_ID} tabIndex={-1} className={classes.main}>
        <noscript>
          <Alert>
            <p>
              JavaScript is off: this page does not update, its controls do nothing, and long tables end
              early.
            </p>
          </Alert>
        </noscript>
        {children}
      </main>
      <Announcements />
    </div>
  );
}

/** The banner of the sandbox. It can't be dismissed, so that nobody mistakes simulated requests for real ones. */
function SandboxBanner() {
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
