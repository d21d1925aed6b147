import type { ReactNode } from 'react';
import { Announcements } from '@/lib/client/announce';
import type { Health } from '@/lib/client/health';
import { AddressRounds } from '@/lib/client/use-address';
import type { KnownIndex } from '@/lib/pending/client';
import { CONTENT_ID } from './content-focus';
import { Navigation } from './navigation';
import { Preferences } from './preferences';
import { SandboxBanner } from './sandbox-banner';
import { ServiceStrip } from './service-strip';
import classes from './shell.module.css';
import { ShellKeys } from './shell-keys';

type Frame = { health: Health; known: KnownIndex; leave: string | undefined; children: ReactNode };

/**
 * The frame around every page: where the data comes from, how the services are, and where one can go.
 * @param known of pending requests, when the server rendered
 * @param leave where somebody signs out who has signed in
 */
export function Shell({ health, known, leave, children }: Frame) {
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href={`#${CONTENT_ID}`}>
        Skip to content
      </a>
      <div className={classes.bar}>
        <Navigation known={known} beside={health.source === 'sandbox' ? <SandboxBanner /> : null}>
          <ServiceStrip initial={health} />
          <ShellKeys />
          <Preferences leave={leave} />
        </Navigation>
      </div>
      <main id={CONTENT_ID} tabIndex={-1} className={classes.main}>
        <noscript>
          <p className={classes.still}>
            Scripts are off: this is how things stood when the page was loaded. Nothing on it is live,
            whatever it says, and its controls do nothing.
          </p>
        </noscript>
        {children}
      </main>
      <Announcements />
      <AddressRounds />
    </div>
  );
}
