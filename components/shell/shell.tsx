import type { ReactNode } from 'react';
import type { Health } from '@/lib/client/health';
import { Navigation } from './navigation';
import { SandboxBanner } from './sandbox-banner';
import { ServiceStrip } from './service-strip';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch';

/** The frame around every page: where the data comes from, how the services are, and where one can go. */
export function Shell({ health, children }: { health: Health; children: ReactNode }) {
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      {health.source === 'sandbox' ? <SandboxBanner /> : null}
      <div className={classes.bar}>
        <Navigation>
          <ThemeSwitch />
        </Navigation>
        <ServiceStrip initial={health} />
      </div>
      <main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </main>
    </div>
  );
}
